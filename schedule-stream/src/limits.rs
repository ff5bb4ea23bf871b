//! The limits of a stream: bounds on the work and the memory that one event can cause.

/// Limits on the work and the memory that one event can cause.
///
/// An event above a limit is reported with an error, and its handler does not run. Whether an event is above a limit
/// depends only on the events and their division into batches. So the result is the same on any number of threads, and
/// in a replay with the same limits.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_stream::prelude::*;
/// use schedule_stream::{EventError, Limits};
///
/// #[derive(Event)]
/// #[event(again)]
/// struct Again;
///
/// #[handler]
/// fn again(_: &Again) -> FollowUps<Again> {
///     FollowUps::events([Again])
/// }
///
/// let mut stream = Stream::new();
/// stream.set_limits(Limits::new().max_depth(2));
/// let mut errors = Vec::new();
/// stream.process(&mut Resources::new(), [Again], |outcome: Outcome<Again>| {
///     errors.push(outcome.result.err());
/// })?;
/// assert!(matches!(errors[..], [None, None, None, Some(EventError::TooDeep { max: 2 })]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    pub(super) max_set_keys: u32,
    pub(super) max_depth: u32,
    pub(super) max_follow_ups: u32,
}

impl Limits {
    /// The default limits: 65,536 keys in a set, depth 1,000, and 65,536 follow-up events in a batch.
    pub const fn new() -> Self {
        Self {
            max_set_keys: 1 << 16,
            max_depth: 1_000,
            max_follow_ups: 1 << 16,
        }
    }

    /// No limits. An event can then take all memory, and a call of `process` may never return.
    pub const fn unlimited() -> Self {
        Self {
            max_set_keys: u32::MAX,
            max_depth: u32::MAX,
            max_follow_ups: u32::MAX,
        }
    }

    /// Sets the maximum number of keys that an event names for one [`RecordSet`](super::RecordSet) or
    /// [`RecordSetMut`](super::RecordSetMut). Keys that occur again, and keys without a record, count too.
    ///
    /// An event with more keys has the error [`EventError::SetTooLarge`](super::EventError::SetTooLarge). The keys above
    /// the limit are not read.
    #[must_use]
    pub const fn max_set_keys(self, max: u32) -> Self {
        Self {
            max_set_keys: max,
            ..self
        }
    }

    /// Sets the maximum depth of a follow-up event. An event of the input has depth 0, and a follow-up event one more
    /// than the event that caused it.
    ///
    /// A deeper event has the error [`EventError::TooDeep`](super::EventError::TooDeep).
    #[must_use]
    pub const fn max_depth(self, max: u32) -> Self {
        Self {
            max_depth: max,
            ..self
        }
    }

    /// Sets the maximum number of follow-up events in a batch. Those above the maximum depth count too.
    ///
    /// Later follow-up events of the batch have the error [`EventError::OverBudget`](super::EventError::OverBudget).
    #[must_use]
    pub const fn max_follow_ups(self, max: u32) -> Self {
        Self {
            max_follow_ups: max,
            ..self
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}
