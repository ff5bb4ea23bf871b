//! The limits of a stream: bounds on the work and the memory that one event can cause.

use crate::store::reason::ExceededLimit;

/// Limits on the work and the memory that one event can cause.
///
/// An event above a limit is reported with an error. Whether an event is above a limit depends only on the events and their
/// division into batches. So the result is the same on any number of threads, and in a replay with the same limits.
///
/// Follow-up events above the [budget of a batch](Self::max_follow_ups) are not refused. They wait for later batches.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_stream::prelude::*;
/// use schedule_stream::{EventError, EventLimits};
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
/// stream.set_limits(EventLimits::new().max_depth(2));
/// let mut errors = Vec::new();
/// stream.process(&mut Resources::new(), [Again], |outcome: Outcome<Again>| {
///     errors.push(outcome.result.err());
/// })?;
/// assert!(matches!(errors[..], [None, None, Some(EventError::FollowUpsTooDeep { max: 2 })]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventLimits {
    pub(crate) max_set_keys: u32,
    pub(crate) max_depth: u32,
    pub(crate) max_per_event: u32,
    pub(crate) max_follow_ups: u32,
    pub(crate) max_pending: u32,
}

impl EventLimits {
    /// The default limits: 65,536 keys in a set, depth 1,000, 1,024 follow-up events of one event, 65,536 in a batch, and 1,048,576
    /// that wait.
    pub const fn new() -> Self {
        Self {
            max_set_keys: 1 << 16,
            max_depth: 1_000,
            max_per_event: 1 << 10,
            max_follow_ups: 1 << 16,
            max_pending: 1 << 20,
        }
    }

    /// No limits. An event can then take all memory, and a call of `process` may never return.
    pub const fn unlimited() -> Self {
        Self {
            max_set_keys: u32::MAX,
            max_depth: u32::MAX,
            max_per_event: u32::MAX,
            max_follow_ups: u32::MAX,
            max_pending: u32::MAX,
        }
    }

    /// Sets the maximum number of keys that an event names for one [`RecordSet`](crate::RecordSet) or
    /// [`RecordSetMut`](crate::RecordSetMut). Keys that occur again, and keys without a record, count too.
    ///
    /// An event with more keys has the error [`EventError::SetTooLarge`](crate::EventError::SetTooLarge). The keys above
    /// the limit are not read.
    #[must_use]
    pub const fn max_set_keys(self, max: u32) -> Self {
        Self {
            max_set_keys: max,
            ..self
        }
    }

    /// Sets the maximum depth of an event. An event of the input has depth 0, and a follow-up event one more than the event that
    /// caused it.
    ///
    /// A handler that returns follow-up events at the maximum depth fails with
    /// [`EventError::FollowUpsTooDeep`](crate::EventError::FollowUpsTooDeep). None of them arrives.
    #[must_use]
    pub const fn max_depth(self, max: u32) -> Self {
        Self {
            max_depth: max,
            ..self
        }
    }

    /// Sets the maximum number of follow-up events that the handler of one event returns.
    ///
    /// A handler that returns more fails with [`EventError::TooManyFollowUps`](crate::EventError::TooManyFollowUps). None of them
    /// arrives.
    #[must_use]
    pub const fn max_per_event(self, max: u32) -> Self {
        Self {
            max_per_event: max,
            ..self
        }
    }

    /// Sets the budget of a batch: the maximum number of its follow-up events, at least 1.
    ///
    /// Further follow-up events wait, and come first in later batches. While more than one budget waits, batches have no events of
    /// the input.
    #[must_use]
    pub const fn max_follow_ups(self, max: u32) -> Self {
        Self {
            max_follow_ups: max,
            ..self
        }
    }

    /// Sets the maximum number of follow-up events that wait at the end of a batch.
    ///
    /// If more wait, the stream stops there with an error: [`StreamError::Backlog`](crate::StreamError::Backlog), or
    /// `DurableError::Backlog` of a durable stream. No follow-up event is lost. With a higher limit, the stream continues.
    #[must_use]
    pub const fn max_pending(self, max: u32) -> Self {
        Self {
            max_pending: max,
            ..self
        }
    }

    /// The number of follow-up events that a handler may return at this depth.
    pub(crate) const fn max_at_depth(&self, depth: u32) -> u32 {
        if depth < self.max_depth {
            self.max_per_event
        } else {
            0
        }
    }

    /// The limit of a handler that has returned more than `max` follow-up events, which is a result of
    /// [`max_at_depth`](Self::max_at_depth).
    pub(crate) fn exceeded(&self, max: u32) -> ExceededLimit {
        if max == self.max_per_event {
            ExceededLimit::PerEvent
        } else {
            ExceededLimit::FollowUpDepth
        }
    }

    /// The budget of a batch. A budget of 0 would keep all follow-up events waiting.
    pub(crate) const fn budget(&self) -> usize {
        match self.max_follow_ups {
            0 => 1,
            max => max as usize,
        }
    }
}

impl Default for EventLimits {
    fn default() -> Self {
        Self::new()
    }
}
