//! The first outcome of a replay that differs from the earlier one, for errors.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::keys::EventResult;
use super::{DurableEvent, text};
use crate::base::position::Position;
use crate::program::outcome::Outcome;

/// The first outcome that differs from the earlier one at its position: see [`DurableError::Differs`](super::DurableError::Differs).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DifferentOutcome {
    /// The position of the event.
    pub position: Position,
    /// For a follow-up event, the position of the event whose handler returned it.
    pub cause: Option<Position>,
    /// The name of the handler. `None` if the position has no event now.
    pub handler: Option<&'static str>,
    /// The present answer or error, as text. `None` if the position has no event now.
    pub now: Option<String>,
    /// The earlier answer or error, as text, if a snapshot has it with an idempotency key.
    pub before: Option<String>,
}

impl DifferentOutcome {
    /// `outcome`: the present one.
    pub(super) fn new<E: DurableEvent>(position: Position, outcome: Option<&Outcome<E>>) -> Self {
        Self {
            position,
            cause: outcome.and_then(|outcome| outcome.cause),
            handler: outcome.map(|outcome| outcome.handler),
            now: outcome.map(|outcome| result_text::<E>(&outcome.result)),
            before: None,
        }
    }
}

impl fmt::Display for DifferentOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.position;
        match self.handler {
            Some(handler) => write!(f, "the outcome of `{handler}` at position {position}")?,
            None => write!(f, "the outcome at position {position}")?,
        }
        if let Some(cause) = self.cause {
            write!(f, ", a follow-up of {cause},")?;
        }
        match &self.now {
            Some(now) => write!(f, " is now `{now}`")?,
            None => f.write_str(" does not exist any more")?,
        }
        match &self.before {
            Some(before) => write!(f, ", and was `{before}`"),
            None => Ok(()),
        }
    }
}

/// Returns a result as text.
pub(super) fn result_text<E: DurableEvent>(result: &EventResult<E>) -> String {
    match result {
        Ok(answer) => text::of(answer),
        Err(error) => {
            // The code that formats an error is user code, and may panic.
            let text = catch_unwind(AssertUnwindSafe(|| format!("error: {error}")));
            text.map_or_else(|_| "error: …".to_string(), text::cut)
        }
    }
}
