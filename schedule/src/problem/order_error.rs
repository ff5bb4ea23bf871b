//! The error of an order that a builder refuses.

use core::fmt;

use super::Problem;
use crate::messages::ORDER_REJECTED;

/// An order that a builder refused; it is as it was before.
pub struct OrderError(pub(crate) Problem);

impl OrderError {
    /// What is wrong with the order: a [`Problem::Cycle`] that it would close, or what it names was not added.
    pub fn problem(&self) -> &Problem {
        &self.0
    }
}

impl std::error::Error for OrderError {}

/// As it displays: this is what `main` prints of an error that it returns.
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
