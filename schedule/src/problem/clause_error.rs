//! The error of a clause that a builder refuses.

use core::fmt;

use super::Problem;
use crate::messages::{GUARD_REJECTED, MEMBERSHIP_REJECTED};

/// A guard or a membership that a builder refused. The builder is as it was before.
pub struct ClauseError {
    /// Says which clause was refused.
    text: &'static str,
    problem: Box<Problem>,
}

impl ClauseError {
    pub(crate) fn guard(problem: Problem) -> Self {
        Self {
            text: GUARD_REJECTED,
            problem: Box::new(problem),
        }
    }

    pub(crate) fn membership(problem: Problem) -> Self {
        Self {
            text: MEMBERSHIP_REJECTED,
            problem: Box::new(problem),
        }
    }

    /// What is wrong with the clause.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl std::error::Error for ClauseError {}

/// As it displays: this is what `main` prints of an error that it returns.
impl fmt::Debug for ClauseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ClauseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  {}", self.text, self.problem)
    }
}
