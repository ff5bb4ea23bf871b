//! The error of an order that a builder rejects.

use core::fmt;

use super::Problem;
use crate::declare::messages::ORDER_REJECTED;

/// A builder rejected an order. The builder is unchanged.
pub struct OrderError(pub(crate) Problem);

impl OrderError {
    /// Returns the problem of the order: a [`Problem::Cycle`] that it would close, or a target that was not added.
    pub fn problem(&self) -> &Problem {
        &self.0
    }
}

impl std::error::Error for OrderError {}

/// Prints the same as `Display`, because `main` prints a returned error with `Debug`.
impl fmt::Debug for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ORDER_REJECTED}\n  {}", self.0)
    }
}
