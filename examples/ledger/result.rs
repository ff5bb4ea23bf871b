//! Results of events.

use core::fmt;

use schedule_stream::answers::Answer;
use serde::{Deserialize, Serialize};

/// The result of an event that was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Applied {
    /// Money was moved.
    Moved,
    /// Sender and receiver are the same, and have enough money.
    ToSelf,
}

impl Answer for Applied {}

/// The reason why an event was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Rejected {
    Overdrawn,
    /// The sender has no token.
    NoToken,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overdrawn => "the balance is too small",
            Self::NoToken => "the sender has no token",
        })
    }
}

impl core::error::Error for Rejected {}

pub(crate) type EventResult = Result<Applied, Rejected>;

/// Numbers of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) n_accepted: usize,
    pub(crate) n_rejected: usize,
    /// Included in `n_accepted`.
    pub(crate) n_to_self: usize,
}

impl Tally {
    pub(crate) fn of(results: &[EventResult]) -> Self {
        let n = |is_it: fn(&EventResult) -> bool| results.iter().filter(|one| is_it(one)).count();
        Self {
            n_accepted: n(|result| result.is_ok()),
            n_rejected: n(|result| result.is_err()),
            n_to_self: n(|result| *result == Ok(Applied::ToSelf)),
        }
    }
}
