//! The outcomes of events.

use core::fmt;

use schedule_stream::answers::Answer;

/// The outcome of an event that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// Money was moved.
    Moved,
    /// A payment to the same account, with a sufficient balance.
    ToSelf,
}

impl Answer for Settled {}

/// The reason why an event failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Overdrawn,
    /// The holder has no token.
    NoToken,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overdrawn => "the balance is too low",
            Self::NoToken => "the holder has no token",
        })
    }
}

impl core::error::Error for Refused {}

pub(crate) type Verdict = Result<Settled, Refused>;

/// The number of events by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) n_accepted: usize,
    pub(crate) n_refused: usize,
    /// Also counted as accepted.
    pub(crate) n_to_self: usize,
}

impl Tally {
    pub(crate) fn of(verdicts: &[Verdict]) -> Self {
        let n = |is_it: fn(&Verdict) -> bool| verdicts.iter().filter(|one| is_it(one)).count();
        Self {
            n_accepted: n(|verdict| verdict.is_ok()),
            n_refused: n(|verdict| verdict.is_err()),
            n_to_self: n(|verdict| *verdict == Ok(Settled::ToSelf)),
        }
    }
}
