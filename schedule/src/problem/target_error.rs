//! The error of a call that names a node which does not exist, or several.

use core::fmt;

use super::Problem;

/// What was named fits no node of a schedule, or several.
pub struct TargetError(pub(crate) Problem);

impl TargetError {
    /// What is wrong with the name: a [`Problem::Dangling`], [`Problem::Removed`] or [`Problem::Ambiguous`].
    pub fn problem(&self) -> &Problem {
        &self.0
    }
}

impl std::error::Error for TargetError {}

/// As it displays: this is what `main` prints of an error that it returns.
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
