//! The error of calls that process events.

use core::fmt;

use crate::base::position::Position;
use schedule::identity::Name;

/// The reason why a stream processed no event, or stopped.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamError {
    /// These resources of handlers are missing. Each occurs once.
    Missing(Vec<Name>),
    /// Another stream created the channel.
    OtherStream,
    /// The stream has processed other events since the channel was created, so positions of the channel are taken.
    OldArrivals {
        /// The position of the next event of the channel.
        first: Position,
        /// The number of the next batch of the stream.
        next: u64,
    },
    /// The stream has stopped after a batch, because more follow-up events wait than
    /// [`EventLimits::max_pending`](crate::EventLimits::max_pending) allows. No event is lost: after
    /// [`Stream::set_limits`](crate::Stream::set_limits) with a higher limit, the next call continues.
    Backlog {
        /// The number of the batch.
        batch: u64,
        /// The number of follow-up events that wait.
        n_pending: usize,
        /// The maximum.
        max: u32,
    },
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(missing) => {
                match missing.len() {
                    1 => write!(f, "1 resource is missing; no event was processed")?,
                    n => write!(f, "{n} resources are missing; no event was processed")?,
                }
                let mut missing = missing.iter();
                missing.try_for_each(|name| {
                    write!(f, "\n  {name:?} is missing: insert it before the call")
                })
            }
            Self::OtherStream => f.write_str(
                "the channel was created by another stream; no event was processed: create it with `arrivals` of the stream that \
                 processes its events",
            ),
            Self::OldArrivals { first, next } => write!(
                f,
                "the channel continues with position {first}, but the next batch of the stream is {next}; no event was \
                 processed: process all events of the stream through one channel, or create a channel after other calls"
            ),
            Self::Backlog {
                batch,
                n_pending,
                max,
            } => write!(
                f,
                "the stream has stopped after batch {batch}, because {n_pending} follow-up events wait, and the maximum is {max}: \
                 raise the limit with `EventLimits::max_pending`, and continue"
            ),
        }
    }
}

impl fmt::Debug for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for StreamError {}
