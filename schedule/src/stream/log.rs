//! What happened in a stream, to let it happen again.

use core::fmt::{Debug, Display};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ptr::NonNull;

use super::event::Event;
use super::outcome::{Outcome, Refusal};
use super::traffic::Sink;
use crate::resource::Resources;

/// The events of a run in the order of their arrival, and digests of what they came to.
///
/// A call with [`FailurePolicy::Stop`](crate::FailurePolicy::Stop) is logged one event after the other: which others still ran beside one
/// that failed would depend on how fast they were, and not come again.
///
/// A replay needs resources that are as they were. Entities that were put together anew, in the order of
/// [`Entities::iter`](super::Entities::iter), are the same, but those that come later may take other places among them: a digest and
/// handlers that do not go by their order are safe.
///
/// With the feature `serde` it can be written to a file and read from it. A digest is comparable between runs of programs
/// that were built by the same compiler for the same kind of processor.
///
/// ```
/// use std::hash::Hash;
/// use schedule::{EventLog, prelude::*};
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
/// assert_eq!(error.to_string(), "what events 0 to 99 came to differs from the log");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventLog<E> {
    /// So many events of a call lie between two digests.
    pub every: u64,
    /// All of them, with what followed from others where it took its place.
    pub events: Vec<E>,
    /// By call of [`process_logged`](super::Stream::process_logged) or
    /// [`process_arrivals_logged`](super::Stream::process_arrivals_logged): how many events came before it. Each is replayed as a call of
    /// its own.
    pub calls: Vec<u64>,
    /// After every so many events of a call, and at its end.
    pub digests: Vec<EventDigest>,
}

/// What events came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventDigest {
    /// After so many events, in all calls.
    pub n_events: u64,
    /// Of the outcomes of this call so far, and of what the resources were then.
    pub digest: u64,
}

impl<E> EventLog<E> {
    /// An empty one, with a digest after every so many events, 1 at least.
    ///
    /// What is on its way is waited for before a digest: with one after each event, nothing is left to be processed at once.
    /// With one after every 100 events or more of 1 µs, on two threads, these waits were too short to be measured beside the
    /// log itself, some 0.3 to 0.5 µs for each event; what the digest looks at comes on top, each time.
    pub fn every(n_events: u64) -> Self {
        Self {
            every: n_events.max(1),
            events: Vec::new(),
            calls: Vec::new(),
            digests: Vec::new(),
        }
    }

    /// Another call begins.
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
    /// Lets all of it happen again, in a stream and resources that are as they were before.
    ///
    /// # Errors
    ///
    /// If what it comes to differs from the log, with the first events for which it does; or if a resource is not there.
    pub fn replay(
        &self,
        stream: &mut super::Stream<E>,
        resources: &mut Resources,
        digest: impl Fn(&Resources, &mut dyn Hasher),
    ) -> Result<(), ReplayError> {
        let mut log = Self::every(self.every);
        let ends = self.calls.iter().skip(1).copied();
        let ends = ends.chain([self.events.len() as u64]);
        for (start, end) in self.calls.iter().zip(ends) {
            let (start, end) = (*start as usize, end as usize);
            let events = self.events.get(start..end).unwrap_or_default();
            let input = events.iter().cloned().fuse();
            stream
                .log(resources, input, None, |_| (), &mut log, &digest, true)
                .map_err(ReplayError::Missing)?;
        }
        let pairs = self.digests.iter().zip(&log.digests);
        let n_same = pairs.take_while(|(a, b)| a == b).count();
        let both = [&self.digests, &log.digests];
        if both.iter().all(|digests| digests.len() == n_same) {
            return Ok(());
        }
        let end_of = |digests: &Vec<EventDigest>| Some(digests.get(n_same)?.n_events);
        let end = both.into_iter().filter_map(end_of).min().unwrap_or(0);
        let same = n_same.checked_sub(1).map(|nth| self.digests[nth].n_events);
        let first = same.unwrap_or(0);
        Err(ReplayError::Differs {
            first,
            last: end.max(first + 1) - 1,
        })
    }
}

/// Why a replay is not what was logged.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// What some of these events came to differs; of those before them nothing did. Where they are in [`EventLog::events`].
    Differs {
        /// The first of them.
        first: u64,
        /// The last of them.
        last: u64,
    },
    /// No event was processed.
    Missing(super::StreamError),
}

impl Display for ReplayError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            ReplayError::Differs { first, last } if first == last => {
                write!(f, "what event {first} came to differs from the log")
            }
            ReplayError::Differs { first, last } => {
                write!(
                    f,
                    "what events {first} to {last} came to differs from the log"
                )
            }
            ReplayError::Missing(error) => Display::fmt(error, f),
        }
    }
}

impl std::error::Error for ReplayError {}

/// Writes a log, and tells a closure.
pub(super) struct Logged<'l, E, F, D> {
    pub(super) log: &'l mut EventLog<E>,
    pub(super) outcomes: F,
    pub(super) digest: D,
    /// The resources, at which a rest looks.
    pub(super) resources: NonNull<Resources>,
    pub(super) hasher: DefaultHasher,
}

impl<E, F, D> Logged<'_, E, F, D>
where
    D: Fn(&Resources, &mut dyn Hasher),
{
    /// Adds a digest of everything so far. Nothing is on its way.
    pub(super) fn digest(&mut self) {
        let mut hasher = self.hasher.clone();
        // SAFETY: they are borrowed exclusively for the call that this is told by, of which no event runs.
        #[expect(unsafe_code, reason = "looks at resources between events")]
        let resources = unsafe { self.resources.as_ref() };
        (self.digest)(resources, &mut hasher);
        self.log.digests.push(EventDigest {
            n_events: self.log.events.len() as u64,
            digest: hasher.finish(),
        });
    }

    /// How many events came after the last digest.
    pub(super) fn n_behind(&self) -> u64 {
        let of_call = self.log.calls.last().copied().unwrap_or(0);
        let of_digest = self.log.digests.last().map_or(0, |last| last.n_events);
        (self.log.events.len() as u64).saturating_sub(of_call.max(of_digest))
    }
}

impl<E, F, D> Sink<E> for Logged<'_, E, F, D>
where
    E: Event + Clone,
    E::Answer: Debug,
    E::Error: Display,
    F: FnMut(Outcome<E>),
    D: Fn(&Resources, &mut dyn Hasher),
{
    fn arrived(&mut self, event: &E) {
        self.log.events.push(event.clone());
    }

    fn tell(&mut self, outcome: Outcome<E>) {
        outcome.handler.hash(&mut self.hasher);
        match &outcome.result {
            Ok(answer) => format!("{answer:?}").hash(&mut self.hasher),
            // What a panic says may hold addresses.
            Err(Refusal::Panicked(_)) => "panicked".hash(&mut self.hasher),
            Err(refusal) => refusal.to_string().hash(&mut self.hasher),
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
