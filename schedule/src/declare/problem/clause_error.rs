//! The error of a clause that a builder rejects.

use core::fmt;

use super::Problem;
use crate::declare::messages::{GUARD_REJECTED, MEMBERSHIP_REJECTED};

/// A builder rejected a guard or a membership. The builder is unchanged.
pub struct ClauseError {
    /// Describes the rejected clause.
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

    /// Returns the problem of the clause.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl std::error::Error for ClauseError {}

/// Prints the same as `Display`, because `main` prints a returned error with `Debug`.
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
