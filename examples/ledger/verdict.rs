//! What became of an event.

use core::fmt;

use schedule_stream::answers::Answer;

/// What a handler did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// It moved money.
    Moved,
    /// Somebody paid himself, and had enough.
    ToSelf,
}

impl Answer for Settled {}

/// Why a handler did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Overdrawn,
    /// There is no token to be had.
    NoToken,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overdrawn => "there is too little money",
            Self::NoToken => "there is no token to be had",
        })
    }
}

impl core::error::Error for Refused {}

pub(crate) type Verdict = Result<Settled, Refused>;

/// How many went how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) n_accepted: usize,
    pub(crate) n_refused: usize,
    /// Those that were accepted, too.
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
