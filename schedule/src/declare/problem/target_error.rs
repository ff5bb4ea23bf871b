//! The error of a call with a target that matches no node or several nodes.

use core::fmt;

use super::Problem;

/// The target of a call matches no node of the schedule, or several nodes.
pub struct TargetError(pub(crate) Problem);

impl TargetError {
    /// Returns the problem of the target: a [`Problem::Dangling`], [`Problem::Removed`] or [`Problem::Ambiguous`].
    pub fn problem(&self) -> &Problem {
        &self.0
    }
}

impl std::error::Error for TargetError {}

/// Prints the same as `Display`, because `main` prints a returned error with `Debug`.
impl fmt::Debug for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
