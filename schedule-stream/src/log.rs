//! Event logs and replay.

use core::fmt::{Debug, Display};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use super::event::Event;
use super::outcome::{EventError, Outcome};
use super::traffic::Reporter;
use schedule::Resources;
use schedule::internal::{FirstPanic, Payload};

/// A log of events in order of arrival, with digests of their results.
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
/// let mut log = EventLog::every(100);
/// let events = (0..1000).map(Add);
/// Stream::new().process_logged(&mut resources, events, |_| (), &mut log, digest)?;
///
/// // Later, or elsewhere.
/// resources.insert(Sum(0));
/// log.replay(&mut Stream::new(), &mut resources, digest)?;
/// assert_eq!(resources.get::<Sum>().unwrap().0, 499_500);
///
/// resources.insert(Sum(1));
/// let error = log.replay(&mut Stream::new(), &mut resources, digest).unwrap_err();
/// assert_eq!(error.to_string(), "replay diverged from the log between events 0 and 99");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventLog<E> {
    /// Number of events of a call between two digests.
    pub every: u64,
    /// All events, including follow-up events, in order of arrival.
    pub events: Vec<E>,
    /// The number of events before each call of [`process_logged`](super::Stream::process_logged) or
    /// [`process_arrivals_logged`](super::Stream::process_arrivals_logged). Each call is replayed as a separate call.
    pub calls: Vec<u64>,
    /// A digest after each `every` events of a call, and one at its end.
    pub digests: Vec<EventDigest>,
    /// Number of events in calls that have ended, up to the first call that was interrupted by a panic. It is the number of all
    /// events, unless the log was cut short or a call was interrupted.
    pub n_ended: u64,
}

/// A digest of the results of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventDigest {
    /// Number of events before this digest, in all calls.
    pub n_events: u64,
    /// The digest of the outcomes of this call so far, and of the values that the user hashed.
    pub digest: u64,
}

impl<E> EventLog<E> {
    /// Creates an empty log, with a digest after each `n_events` events, at least 1.
    ///
    /// Before a digest, the stream waits for all events in flight. So with `n_events` 1, no events run in parallel.
    pub fn every(n_events: u64) -> Self {
        Self {
            every: n_events.max(1),
            events: Vec::new(),
            calls: Vec::new(),
            digests: Vec::new(),
            n_ended: 0,
        }
    }

    /// Starts another call.
    pub(super) fn begin(&mut self) {
        let n_before = self.events.len() as u64;
        if self.calls.last() != Some(&n_before) {
            self.calls.push(n_before);
        }
    }
}

impl<E: Event + Clone> EventLog<E>
where
    E::Answer: Debug,
    E::Error: Display,
{
    /// Processes all events of the log again, in a stream and resources that are as they were before, and compares the
    /// outcomes.
    ///
    /// A log that was cut short is replayed as far as it goes. The outcomes in it are compared, and then it is reported as
    /// incomplete. The same holds for a log with a call that was interrupted by a panic. Outcomes of later calls cannot be
    /// compared, because events of the interrupted call may not have been processed:
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
    /// # let mut log = EventLog::every(100);
    /// # let mut stream = Stream::new();
    /// # stream.process_logged(&mut resources, (0..1000).map(Add), |_| (), &mut log, digest)?;
    /// log.events.truncate(250);
    ///
    /// resources.insert(Sum(0));
    /// let error = log.replay(&mut stream, &mut resources, digest).unwrap_err();
    /// assert!(matches!(error, ReplayError::Incomplete { n_events: 250, n_missing: 750, n_unchecked: 50 }));
    /// assert_eq!(
    ///     error.to_string(),
    ///     "the log is incomplete: 750 events are missing after the first 250, and the outcomes of the last 50 of these \
    ///      cannot be checked; all other outcomes match"
    /// );
    /// assert_eq!(resources.get::<Sum>().unwrap().0, (0..250).sum());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with the first events whose outcomes differ from the log, if there are any. Otherwise fails if the log is
    /// incomplete. Fails before it processes an event if a resource is missing.
    pub fn replay(
        &self,
        stream: &mut super::Stream<E>,
        resources: &mut Resources,
        digest: impl Fn(&Resources, &mut dyn Hasher),
    ) -> Result<(), ReplayError> {
        let mut scratch = Scratch(Self::every(self.every));
        let log = &mut scratch.0;
        let starts = self.starts();
        let ends = starts.iter().skip(1).copied().chain([self.events.len()]);
        for (start, end) in starts.iter().copied().zip(ends) {
            let events = self.events.get(start..end).unwrap_or_default();
            let input = events.iter().cloned().fuse();
            stream
                .log(resources, input, None, |_| (), log, &digest, true)
                .map_err(ReplayError::Missing)?;
        }
        self.compare(&log.digests)
    }

    /// Returns the index of the first event of each call, as far as the log has events.
    fn starts(&self) -> Vec<usize> {
        let n = self.events.len();
        let starts = self.calls.iter();
        let mut starts: Vec<_> = starts.map(|start| n.min(*start as usize)).collect();
        if n > 0 && starts.first() != Some(&0) {
            starts.insert(0, 0);
        }
        starts
    }

    /// Returns the end of the first interrupted call, if another call follows it.
    fn interrupted_to(&self) -> Option<u64> {
        let mut starts = self.calls.iter().copied();
        starts.find(|start| *start > self.n_ended)
    }

    /// Returns whether the first digests that differ show a call whose start is missing in `calls`. The log then has a
    /// digest at the end of that call, where the replay has none. A replay that stops early instead has its digest
    /// before that of the log.
    fn is_end_of_call_missing(
        &self,
        logged: Option<&EventDigest>,
        replayed: Option<&EventDigest>,
    ) -> bool {
        let (Some(logged), Some(replayed)) = (logged, replayed) else {
            return false;
        };
        let last_start = self.calls.last().copied().unwrap_or(0);
        last_start < logged.n_events && logged.n_events < replayed.n_events
    }

    /// Compares the digests of a replay with those of the log, as far as both exist.
    fn compare(&self, replayed: &[EventDigest]) -> Result<(), ReplayError> {
        let n_events = self.events.len() as u64;
        // Later digests belong to missing events, or to calls after an interrupted one.
        let n_comparable = n_events.min(self.interrupted_to().unwrap_or(n_events));
        let is_there = |digest: &&EventDigest| digest.n_events <= n_comparable;
        let n_logged = self.digests.iter().take_while(is_there).count();
        let logged = &self.digests[..n_logged];
        let pairs = logged.iter().zip(replayed);
        let n_same = pairs.take_while(|(a, b)| a == b).count();
        let n_checked = n_same.checked_sub(1).map_or(0, |nth| logged[nth].n_events);
        let is_calls_cut = self.is_end_of_call_missing(logged.get(n_same), replayed.get(n_same));
        if n_same < n_logged && !is_calls_cut {
            // A replay of a shortened log has a digest at its end, which the log does not have.
            let ends = [logged, replayed].map(|digests| Some(digests.get(n_same)?.n_events));
            let end = ends.into_iter().flatten().min().unwrap_or(0);
            return Err(ReplayError::Differs {
                first: n_checked,
                last: end.max(n_checked + 1) - 1,
            });
        }
        let last_digest = self.digests.last().map(|digest| digest.n_events);
        let known = [Some(self.n_ended), last_digest, self.calls.last().copied()];
        let n_known = known.into_iter().flatten().max().unwrap_or(0);
        let n_missing = n_known.saturating_sub(n_events);
        let n_unchecked = n_events - n_checked;
        if n_missing == 0 && n_unchecked == 0 && self.n_ended == n_events && !is_calls_cut {
            return Ok(());
        }
        Err(ReplayError::Incomplete {
            n_events,
            n_missing,
            n_unchecked,
        })
    }
}

/// The log that a replay writes. Drops its events one at a time, because their destructors may panic.
struct Scratch<E>(EventLog<E>);

impl<E> Drop for Scratch<E> {
    fn drop(&mut self) {
        let mut panics = FirstPanic::default();
        panics.drop_each(self.0.events.drain(..));
        panics.resume_from_drop();
    }
}

/// The reason why a replay does not match the log.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// The result of at least one of these events differs. The results of all events before them match. The numbers are indices of
    /// [`EventLog::events`].
    Differs {
        /// The first of them.
        first: u64,
        /// The last of them.
        last: u64,
    },
    /// The log was cut short, or one of its calls was interrupted by a panic. All events in the log were replayed, and no
    /// outcome that can be compared differs from the log.
    Incomplete {
        /// The number of events in the log.
        n_events: u64,
        /// Number of missing events, as far as the log records it. 0 if only outcomes are missing, or if a call was
        /// interrupted.
        n_missing: u64,
        /// Number of events after the last digest. Digests of calls that follow an interrupted call, or a call of which
        /// [`EventLog::calls`] does not record the end, do not count: they cannot be compared.
        n_unchecked: u64,
    },
    /// A resource is missing, so no event was processed.
    Missing(super::StreamError),
}

impl Display for ReplayError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            ReplayError::Differs { first, last } if first == last => {
                write!(f, "replay diverged from the log at event {first}")
            }
            ReplayError::Differs { first, last } => {
                write!(
                    f,
                    "replay diverged from the log between events {first} and {last}"
                )
            }
            ReplayError::Incomplete {
                n_events,
                n_missing,
                n_unchecked,
            } => fmt_incomplete(f, *n_events, *n_missing, *n_unchecked),
            ReplayError::Missing(error) => Display::fmt(error, f),
        }
    }
}

fn fmt_incomplete(
    f: &mut core::fmt::Formatter<'_>,
    n_events: u64,
    n_missing: u64,
    n_unchecked: u64,
) -> core::fmt::Result {
    f.write_str("the log is incomplete: ")?;
    match n_missing {
        0 => {}
        1 => write!(f, "1 event is missing after the first {n_events}")?,
        n => write!(f, "{n} events are missing after the first {n_events}")?,
    }
    match (n_missing, n_unchecked) {
        (0, 0) => f.write_str("a call in it did not end")?,
        (_, 0) => {}
        (0, n) => write!(
            f,
            "the outcomes of the last {n} of its {n_events} events cannot be checked"
        )?,
        (_, n) => write!(
            f,
            ", and the outcomes of the last {n} of these cannot be checked"
        )?,
    }
    match n_events > n_unchecked {
        true if n_unchecked > 0 => f.write_str("; all other outcomes match"),
        true => f.write_str("; all outcomes match"),
        false => Ok(()),
    }
}

impl std::error::Error for ReplayError {}

/// The reporter of a logged call: writes the log, and calls the outcome callback.
pub(super) struct Logged<'l, E, F, D> {
    pub(super) log: &'l mut EventLog<E>,
    pub(super) outcomes: F,
    pub(super) digest: D,
    /// The resources, for the digests.
    pub(super) resources: NonNull<Resources>,
    pub(super) hasher: DefaultHasher,
}

impl<E, F, D> Logged<'_, E, F, D>
where
    D: Fn(&Resources, &mut dyn Hasher),
{
    /// Adds a digest of all results so far. No event may be in flight.
    pub(super) fn digest(&mut self) {
        let mut hasher = self.hasher.clone();
        // SAFETY: `Stream::log` sets the pointer from a reference that outlives this reporter. The engine calls this
        // only while no event is in flight, so no handler has a reference to a resource.
        #[expect(unsafe_code, reason = "reads resources between events")]
        let resources = unsafe { self.resources.as_ref() };
        (self.digest)(resources, &mut hasher);
        self.log.digests.push(EventDigest {
            n_events: self.log.events.len() as u64,
            digest: hasher.finish(),
        });
    }

    /// Notes that the call has ended. Does nothing if an earlier call was interrupted.
    pub(super) fn end(&mut self) {
        // `EventLog::begin` has added the start of this call, unless an empty call began at the same event.
        if self.log.calls.last() == Some(&self.log.n_ended) {
            self.log.n_ended = self.log.events.len() as u64;
        }
    }

    /// Returns the number of events after the last digest.
    pub(super) fn n_behind(&self) -> u64 {
        let of_call = self.log.calls.last().copied().unwrap_or(0);
        let of_digest = self.log.digests.last().map_or(0, |last| last.n_events);
        (self.log.events.len() as u64).saturating_sub(of_call.max(of_digest))
    }
}

impl<E, F, D> Reporter<E> for Logged<'_, E, F, D>
where
    E: Event + Clone,
    E::Answer: Debug,
    E::Error: Display,
    F: FnMut(Outcome<E>),
    D: Fn(&Resources, &mut dyn Hasher),
{
    const HEARS_ARRIVALS: bool = true;

    fn arrived(&mut self, event: &E) -> Result<(), Payload> {
        let event = catch_unwind(AssertUnwindSafe(|| event.clone()))?;
        self.log.events.push(event);
        Ok(())
    }

    fn report(&mut self, outcome: Outcome<E>) {
        outcome.handler.hash(&mut self.hasher);
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

    fn wants_rest(&self) -> bool {
        self.n_behind() >= self.log.every
    }

    fn rest(&mut self) {
        self.digest();
    }

    fn is_exact(&self) -> bool {
        true
    }
}
