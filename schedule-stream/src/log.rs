//! Event logs and replay.

use core::fmt::{self, Debug, Display};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::arrivals::Arrivals;
use super::event::Event;
use super::outcome::{EventError, Outcome};
use super::position::BatchTime;
use super::stream::{CallSettings, Stream, StreamError};
use super::traffic::{CallEnds, Input, Reporter};
use schedule::Resources;
use schedule::internal::FirstPanic;

/// A log of the batches of a stream, with a digest of the results of each.
///
/// The log contains the events of the input, and how they are divided into batches. Follow-up events are not in it: a replay
/// derives the same ones, at the same positions. A logged call waits at the end of each batch until all its events
/// are processed.
///
/// With [`FailurePolicy::Stop`](schedule::FailurePolicy::Stop), a logged call processes one event at a time. Otherwise the events
/// that are stopped after a failure would depend on speed, and a replay could differ.
///
/// A replay needs resources that equal those before the run. A store that is rebuilt in the order of
/// [`Records::iter`](super::Records::iter) has equal records, but records that are inserted later may be iterated in another order.
/// So digests and handlers must not depend on the order of a rebuilt store.
///
/// With the feature `serde` it can be written to a file and read from it. A digest is comparable between runs of programs
/// that were built by the same compiler for the same kind of processor.
///
/// ```
/// use std::hash::Hash;
/// use schedule::prelude::*;
/// use schedule_stream::prelude::*;
/// use schedule_stream::replay::EventLog;
///
/// #[derive(Resource, Hash, Default)]
/// struct Sum(u64);
///
/// #[derive(Event, Clone)]
/// #[event(add)]
/// struct Add(u64);
///
/// #[handler]
/// fn add(event: &Add, sum: &mut Sum) {
///     sum.0 += event.0;
/// }
///
/// let mut resources = Resources::new();
/// resources.insert_default::<Sum>();
/// let digest = |resources: &Resources, mut hasher: &mut dyn std::hash::Hasher| {
///     resources.get::<Sum>().hash(&mut hasher);
/// };
/// let mut log = EventLog::new();
/// let events = (0..5000).map(Add);
/// Stream::new().process_logged(&mut resources, events, |_| (), &mut log, digest)?;
/// assert_eq!(log.batches.len(), 3);
///
/// // Later, or elsewhere.
/// resources.insert(Sum(0));
/// log.replay(&mut Stream::new(), &mut resources, digest)?;
/// assert_eq!(resources.get::<Sum>().unwrap().0, 12_497_500);
///
/// resources.insert(Sum(1));
/// let error = log.replay(&mut Stream::new(), &mut resources, digest).unwrap_err();
/// assert_eq!(error.to_string(), "replay diverged from the log in batch 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventLog<E> {
    /// The batches, in order.
    pub batches: Vec<LoggedBatch<E>>,
    /// Number of batches that were logged: larger than the length of `batches` if the log was cut short.
    pub n_batches: u64,
}

/// A batch of an [`EventLog`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LoggedBatch<E> {
    /// The number of the batch.
    pub number: u64,
    /// The time that its handlers get.
    pub time: BatchTime,
    /// The events of the input.
    pub events: Vec<E>,
    /// The digest of the outcomes of all its events, and of the values that the user hashed after it. `None` if the
    /// batch was interrupted by a panic.
    pub digest: Option<u64>,
}

impl<E> EventLog<E> {
    /// Creates an empty log.
    pub fn new() -> Self {
        Self {
            batches: Vec::new(),
            n_batches: 0,
        }
    }
}

impl<E> Default for EventLog<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Event + Clone> EventLog<E>
where
    E::Answer: Debug,
    E::Error: Display,
{
    /// Processes all batches of the log again, in resources that are as they were before, and compares the digest after each.
    ///
    /// The stream continues after the last batch of the log. Events that were pending in it before the call are dropped.
    ///
    /// A log that was cut short is replayed as far as it goes, and is then reported as incomplete:
    ///
    /// ```
    /// # use std::hash::{Hash, Hasher};
    /// # use schedule::prelude::*;
    /// # use schedule_stream::prelude::*;
    /// # use schedule_stream::replay::{EventLog, ReplayError};
    /// # #[derive(Resource, Hash, Default)]
    /// # struct Sum(u64);
    /// # #[derive(Event, Clone)]
    /// # #[event(add)]
    /// # struct Add(u64);
    /// # #[handler]
    /// # fn add(event: &Add, sum: &mut Sum) {
    /// #     sum.0 += event.0;
    /// # }
    /// # let mut resources = Resources::new();
    /// # resources.insert_default::<Sum>();
    /// # let digest = |resources: &Resources, mut hasher: &mut dyn Hasher| {
    /// #     resources.get::<Sum>().hash(&mut hasher);
    /// # };
    /// # let mut log = EventLog::new();
    /// # Stream::new().process_logged(&mut resources, (0..5000).map(Add), |_| (), &mut log, digest)?;
    /// log.batches.truncate(2);
    ///
    /// resources.insert(Sum(0));
    /// let error = log.replay(&mut Stream::new(), &mut resources, digest).unwrap_err();
    /// assert_eq!(error.to_string(), "the log is incomplete: 1 batch is missing; all other results match");
    /// assert_eq!(resources.get::<Sum>().unwrap().0, (0..4096).sum());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails at the first batch whose results differ from the log. Fails after the first batch that was interrupted, and
    /// at the end of a log that was cut short. Fails before it processes an event if a resource is missing.
    pub fn replay(
        &self,
        stream: &mut Stream<E>,
        resources: &mut Resources,
        digest: impl Fn(&Resources, &mut dyn Hasher),
    ) -> Result<(), ReplayError> {
        let n = self.batches.len();
        let incomplete = |n_replayed: usize, is_interrupted: bool| ReplayError::Incomplete {
            n_missing: self.n_batches.saturating_sub(n_replayed as u64),
            is_interrupted,
        };
        stream.forget_pending();
        for (nth, batch) in self.batches.iter().enumerate() {
            stream.go_to_batch(batch.number);
            let settings = CallSettings {
                is_exact: true,
                ..CallSettings::BATCH
            };
            let mut ends = CallEnds {
                input: batch.events.iter().cloned().fuse(),
                reporter: Digested::new(drop),
            };
            let processed = stream.process_all_at(batch.time, resources, &mut ends, settings);
            let mut hasher = ends.reporter.hasher.clone();
            ends.close(processed).map_err(ReplayError::Stream)?;
            digest(resources, &mut hasher);
            match batch.digest {
                None => return Err(incomplete(nth + 1, true)),
                Some(logged) if logged != hasher.finish() => {
                    return Err(ReplayError::Differs {
                        batch: batch.number,
                    });
                }
                Some(_) => {}
            }
        }
        match self.n_batches <= n as u64 {
            true => Ok(()),
            false => Err(incomplete(n, false)),
        }
    }
}

impl<E: Event + Clone> Stream<E>
where
    E::Answer: Debug,
    E::Error: Display,
{
    /// Processes events like [`process`](Self::process), and writes a log. **Deadlocks if the iterator waits for an
    /// outcome before it yields the next event.** Use [`process_arrivals_logged`](Self::process_arrivals_logged) for
    /// such events.
    ///
    /// The log contains digests of all outcomes, and of the values that `digest` hashes: usually resources. See [`EventLog`].
    ///
    /// # Errors
    ///
    /// As for `process`.
    ///
    /// # Panics
    ///
    /// As for `process`. Also panics if `digest` panics.
    pub fn process_logged(
        &mut self,
        resources: &mut Resources,
        events: impl IntoIterator<Item = E>,
        mut outcomes: impl FnMut(Outcome<E>),
        log: &mut EventLog<E>,
        digest: impl Fn(&Resources, &mut dyn Hasher),
    ) -> Result<(), StreamError> {
        let mut events = events.into_iter().fuse();
        loop {
            let settings = CallSettings::BATCH;
            let report = &mut outcomes;
            if !self.log_batch(resources, &mut events, settings, report, log, &digest)? {
                return Ok(());
            }
        }
    }

    /// Processes events like [`process_arrivals`](Self::process_arrivals), and writes a log. A replay needs no producers.
    ///
    /// # Errors
    ///
    /// As for `process_arrivals`.
    ///
    /// # Panics
    ///
    /// As for `process_arrivals`. Also panics if `digest` panics.
    pub fn process_arrivals_logged(
        &mut self,
        resources: &mut Resources,
        arrivals: &mut Arrivals<E>,
        mut outcomes: impl FnMut(Outcome<E>),
        log: &mut EventLog<E>,
        digest: impl Fn(&Resources, &mut dyn Hasher),
    ) -> Result<(), StreamError> {
        let _here = arrivals.open();
        loop {
            let settings = CallSettings::BATCH.of(arrivals);
            let (mut taken, report) = (&mut arrivals.taken, &mut outcomes);
            if !self.log_batch(resources, &mut taken, settings, report, log, &digest)? {
                return Ok(());
            }
        }
    }

    /// Processes and logs a batch. Returns whether there was one.
    fn log_batch(
        &mut self,
        resources: &mut Resources,
        input: &mut dyn Input<E>,
        settings: CallSettings,
        outcomes: &mut dyn FnMut(Outcome<E>),
        log: &mut EventLog<E>,
        digest: &dyn Fn(&Resources, &mut dyn Hasher),
    ) -> Result<bool, StreamError> {
        let mut events = Vec::new();
        let mut ends = CallEnds {
            input: Recorded {
                input,
                events: &mut events,
            },
            reporter: Digested::new(outcomes),
        };
        let number = match settings.first {
            Some(first) => first.batch,
            None => self.next_batch(),
        };
        let settings = CallSettings {
            is_exact: true,
            ..settings
        };
        let processed = self.process_all(resources, &mut ends, settings);
        let mut hasher = ends.reporter.hasher.clone();
        let is_interrupted = processed.as_ref().is_ok_and(|panics| !panics.is_none());
        let is_batch = processed.is_ok() && (is_interrupted || self.next_batch() > number);
        if is_batch {
            log.n_batches += 1;
            log.batches.push(LoggedBatch {
                number,
                time: self.time(),
                events: core::mem::take(ends.input.events),
                digest: None,
            });
        }
        ends.close(processed)?;
        if is_batch {
            digest(resources, &mut hasher);
            let batch = log.batches.last_mut().expect("the batch was added above");
            batch.digest = Some(hasher.finish());
        }
        Ok(is_batch)
    }
}

/// An input that copies the events that it yields.
struct Recorded<'l, E> {
    input: &'l mut dyn Input<E>,
    events: &'l mut Vec<E>,
}

impl<E: Clone> Input<E> for Recorded<'_, E> {
    fn next(&mut self) -> Option<E> {
        let event = self.input.next()?;
        match catch_unwind(AssertUnwindSafe(|| event.clone())) {
            Ok(copy) => self.events.push(copy),
            Err(panic) => {
                let mut panics = FirstPanic::of(panic);
                panics.drop(event);
                panics.resume();
                unreachable!("a panic was recorded");
            }
        }
        Some(event)
    }

    fn is_over(&self) -> bool {
        self.input.is_over()
    }

    fn end_batch(&mut self) -> bool {
        self.input.end_batch()
    }

    fn reported(&mut self, batch: u64, n_pending: usize) {
        self.input.reported(batch, n_pending);
    }

    fn has_more(&self) -> bool {
        self.input.has_more()
    }
}

impl<E> Drop for Recorded<'_, E> {
    /// Drops events that were not logged one at a time, because their destructors may panic.
    fn drop(&mut self) {
        let mut panics = FirstPanic::default();
        panics.drop_each(self.events.drain(..));
        panics.resume_from_drop();
    }
}

/// A reporter that hashes outcomes, and calls the outcome callback.
struct Digested<F> {
    outcomes: F,
    hasher: DefaultHasher,
}

impl<F> Digested<F> {
    fn new(outcomes: F) -> Self {
        Self {
            outcomes,
            hasher: DefaultHasher::new(),
        }
    }
}

impl<E, F> Reporter<E> for Digested<F>
where
    E: Event,
    E::Answer: Debug,
    E::Error: Display,
    F: FnMut(Outcome<E>),
{
    fn report(&mut self, outcome: Outcome<E>) {
        (outcome.position, outcome.cause, outcome.handler).hash(&mut self.hasher);
        // User code formats an answer or an error, and may panic.
        let hashed = catch_unwind(AssertUnwindSafe(|| match &outcome.result {
            Ok(answer) => format!("{answer:?}").hash(&mut self.hasher),
            // The message of a panic may contain addresses, so it is not hashed.
            Err(EventError::Panicked(_)) => "panicked".hash(&mut self.hasher),
            Err(EventError::PanickedBeforeCall(_)) => {
                "panicked before the call".hash(&mut self.hasher);
            }
            Err(error) => error.to_string().hash(&mut self.hasher),
        }));
        if let Err(panic) = hashed {
            let mut panics = FirstPanic::of(panic);
            panics.drop(outcome.event);
            panics.drop(outcome.result);
            return panics.resume();
        }
        (self.outcomes)(outcome);
    }
}

/// The reason why a replay does not match the log.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplayError {
    /// The results of this batch differ. Those of all batches before it match.
    Differs {
        /// The number of the batch.
        batch: u64,
    },
    /// The log was cut short, or a batch was interrupted by a panic. The batches before that were replayed, and their results
    /// match.
    Incomplete {
        /// Number of missing batches, or of batches that follow an interrupted one and were not replayed.
        n_missing: u64,
        /// Whether the last batch that was replayed is an interrupted one, so that its results cannot be compared.
        is_interrupted: bool,
    },
    /// No event was processed.
    Stream(StreamError),
}

impl Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Differs { batch } => {
                write!(f, "replay diverged from the log in batch {batch}")
            }
            ReplayError::Incomplete {
                n_missing,
                is_interrupted,
            } => {
                f.write_str("the log is incomplete: ")?;
                match is_interrupted {
                    true => f.write_str("a batch was interrupted")?,
                    false if *n_missing == 1 => f.write_str("1 batch is missing")?,
                    false => write!(f, "{n_missing} batches are missing")?,
                }
                match (is_interrupted, n_missing) {
                    (true, 1) => f.write_str(", and 1 batch after it was not replayed")?,
                    (true, 2..) => {
                        write!(f, ", and {n_missing} batches after it were not replayed")?;
                    }
                    _ => {}
                }
                f.write_str("; all other results match")
            }
            ReplayError::Stream(error) => Display::fmt(error, f),
        }
    }
}

impl std::error::Error for ReplayError {}
