//! Positions of events, and times of batches.

use core::fmt;
use core::time::Duration;

use schedule::internal::time_since_epoch;

/// The position of an event in the order of a stream: its batch, and its index in this batch.
///
/// Positions are ordered as events are. A stream gives each position once. The first batch has number 1.
///
/// A handler takes the position of its event as a parameter:
///
/// ```
/// use schedule::prelude::*;
/// use schedule_stream::{Position, prelude::*};
///
/// #[derive(Event)]
/// #[event(issue, answer = String)]
/// struct Issue;
///
/// #[handler]
/// fn issue(_: &Issue, position: Position) -> String {
///     format!("ticket {}-{}", position.batch, position.index)
/// }
///
/// let mut tickets = Vec::new();
/// Stream::new().process(&mut Resources::new(), [Issue, Issue], |outcome: Outcome<Issue>| {
///     tickets.push(outcome.result.unwrap());
/// })?;
/// assert_eq!(tickets, ["ticket 1-0", "ticket 1-1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Position {
    /// The number of the batch, from 1 on.
    pub batch: u64,
    /// The number of earlier events in the batch.
    pub index: u32,
}

impl Position {
    /// Creates a position.
    pub const fn new(batch: u64, index: u32) -> Self {
        Self { batch, index }
    }

    /// The first position of a stream. As in journals, batch 0 is the state before the first one.
    pub(crate) const FIRST: Self = Self::new(1, 0);

    /// Returns the first position of the next batch.
    pub(crate) const fn next_batch(self) -> Self {
        Self::new(self.batch + 1, 0)
    }
}

/// Returns positions in a form that can be serialized.
#[cfg(feature = "durable")]
pub(crate) fn to_pairs(all: &[Position]) -> Vec<(u64, u32)> {
    all.iter().map(|one| (one.batch, one.index)).collect()
}

/// The inverse of [`to_pairs`].
#[cfg(feature = "durable")]
pub(crate) fn from_pairs(pairs: Vec<(u64, u32)>) -> Vec<Position> {
    let position = |(batch, index)| Position::new(batch, index);
    pairs.into_iter().map(position).collect()
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.batch, self.index)
    }
}

/// The time at which a batch began: the same for all its events, and again the same in a replay. It is never before that of the
/// previous batch, also after a recovery: if the clock goes back, batches have the time of the previous one until the clock
/// has reached it again.
///
/// A handler takes it as a parameter. A handler that reads a clock itself has other results in a replay.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_stream::{BatchTime, prelude::*};
///
/// #[derive(Resource, Default)]
/// struct LastLogin(BatchTime);
///
/// #[derive(Event)]
/// #[event(log_in)]
/// struct LogIn;
///
/// #[handler]
/// fn log_in(_: &LogIn, time: BatchTime, last: &mut LastLogin) {
///     last.0 = time;
/// }
///
/// let mut resources = Resources::new();
/// resources.insert_default::<LastLogin>();
/// let mut stream = Stream::new();
/// stream.set_clock(|| BatchTime::from_nanos(7));
/// stream.process(&mut resources, [LogIn], drop)?;
/// assert_eq!(resources.get::<LastLogin>().unwrap().0.as_nanos(), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BatchTime(u64);

impl BatchTime {
    /// Creates a time from nanoseconds since the Unix epoch.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Returns the nanoseconds since the Unix epoch.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the time of the system clock. The Unix epoch if the clock is set to an earlier time, and on
    /// `wasm32-unknown-unknown`, which has no clock.
    pub fn now() -> Self {
        Self(u64::try_from(time_since_epoch().as_nanos()).unwrap_or(u64::MAX))
    }

    /// Returns the time since the Unix epoch.
    pub const fn since_epoch(self) -> Duration {
        Duration::from_nanos(self.0)
    }
}

/// The event of a handler call, apart from its content.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventInfo {
    pub(crate) position: Position,
    pub(crate) time: BatchTime,
    /// Maximum number of follow-up events that the handler may return.
    pub(crate) max_follow_ups: u32,
}

impl EventInfo {
    /// For events whose handlers do not take it.
    pub(crate) const NOTHING: Self = Self {
        position: Position::new(0, 0),
        time: BatchTime(0),
        max_follow_ups: u32::MAX,
    };

    /// Describes an event.
    pub const fn new(position: Position, time: BatchTime, max_follow_ups: u32) -> Self {
        Self {
            position,
            time,
            max_follow_ups,
        }
    }
}
