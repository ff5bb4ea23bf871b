//! What is wrong with the declaration of a schedule, and how it prints.

use core::fmt;

use crate::failure::SystemPlace;

/// Everything that is wrong with a schedule; it was not built.
#[derive(Debug)]
pub struct BuildError {
    schedule: String,
    problems: Vec<Problem>,
}

impl BuildError {
    pub(crate) fn new(schedule: String, problems: Vec<Problem>) -> Self {
        Self { schedule, problems }
    }

    /// The problems, in the order in which they print.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl std::error::Error for BuildError {}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.len() {
            1 => write!(f, "1 problem in schedule `{}`", self.schedule)?,
            n => write!(f, "{n} problems in schedule `{}`", self.schedule)?,
        }
        self.problems
            .iter()
            .try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

/// One thing that is wrong with a schedule.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// Two types of system have the same [`Identity::ID`](crate::Identity::ID).
    SameIdentity {
        /// The one that was added first.
        first: SystemPlace,
        /// The other.
        second: SystemPlace,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::SameIdentity { first, second } => write!(
                f,
                "identity: {first} and {second} are different systems with the same number\n      \
                 help: rename one of them, or move it to another line"
            ),
        }
    }
}
