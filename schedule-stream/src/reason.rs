//! The reason why an event was not handled, in a compact form that threads pass to each other.
//!
//! All fields are whole words: a load of a word stalls if the word was written in parts just before.

use core::any::Any;

use super::found::Missing;
use schedule::error::Panic;
use schedule::internal::panic_of;

/// [`EventError`](super::EventError) without the error of the handler, and with indices in place of parameter names.
#[derive(Debug)]
pub(super) enum Reason {
    /// A record or resource is missing.
    Missing(Missing),
    /// Two parameters name the same record. Contains the indices of both.
    Alias(usize, usize),
    /// An alias, and the handler has `alias = skip`.
    Skipped,
    /// A follow-up event exceeds a limit.
    Exceeds(ExceededLimit),
    /// Another event failed, and the failure policy stops the stream.
    Stopped,
    /// The handler panicked, or code that ran after it.
    Panicked(Box<Panic>),
    /// Code that ran before the handler panicked.
    PanickedBeforeCall(Box<Panic>),
}

/// A limit of follow-up events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum ExceededLimit {
    /// The maximum depth.
    Depth,
    /// The maximum number of follow-up events in a batch.
    FollowUps,
}

impl Reason {
    #[cold]
    pub(super) fn panicked(payload: Box<dyn Any + Send>, is_called: bool) -> Self {
        let panic = Box::new(panic_of(payload));
        match is_called {
            true => Reason::Panicked(panic),
            false => Reason::PanickedBeforeCall(panic),
        }
    }

    /// Returns whether the handler was called.
    pub(super) fn is_called(&self) -> bool {
        matches!(self, Reason::Panicked(_))
    }

    /// Returns whether the reason is a panic.
    pub(super) fn is_panic(&self) -> bool {
        matches!(self, Reason::Panicked(_) | Reason::PanickedBeforeCall(_))
    }
}
