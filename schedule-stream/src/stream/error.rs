//! The error of calls that process events.

use core::fmt;

use crate::position::Position;
use schedule::identity::Name;

/// The reason why a stream processed no event.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamError {
    /// These resources of handlers are missing. Each occurs once.
    Missing(Vec<Name>),
    /// The stream has processed other events since the channel was created, so positions of the channel are taken.
    OldArrivals {
        /// The position of the next event of the channel.
        first: Position,
        /// The number of the next batch of the stream.
        next: u64,
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
            Self::OldArrivals { first, next } => write!(
                f,
                "the channel continues with position {first}, but the next batch of the stream is {next}; no event was \
                 processed: process all events of the stream through one channel, or create a channel after other calls"
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
