//! The reason why an event was not handled, in a compact form that threads pass to each other.
//!
//! All fields are whole words: a load of a word stalls if the word was written in parts just before.

use core::any::Any;

use crate::store::found::Missing;
use schedule::error::Panic;
use schedule::internal::panic_of;

/// [`EventError`](crate::EventError) without the error of the handler, and with indices in place of parameter names.
#[derive(Debug)]
pub(crate) enum Reason {
    /// A record or resource is missing.
    Missing(Missing),
    /// Two parameters name the same record. Contains the indices of both.
    Alias(usize, usize),
    /// An alias, and the handler has `alias = skip`.
    Skipped,
    /// A follow-up event, or the number of those that a handler has returned, exceeds a limit.
    Exceeds(ExceededLimit),
    /// Another event failed, and the failure policy stops the stream.
    Stopped,
    /// Processes have ended while they handled the event, so its handler is not called again.
    DeadLetter,
    /// The handler panicked, or code that ran after it.
    Panicked(Box<Panic>),
    /// Code that ran before the handler panicked.
    PanickedBeforeCall(Box<Panic>),
}

/// A limit of follow-up events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum ExceededLimit {
    /// Under the first rules: the depth of a follow-up event, which is refused.
    Depth,
    /// Under the first rules: the number of follow-up events in a batch. Those above it are refused.
    FollowUps,
    /// The number of follow-up events of one event, which has failed.
    PerEvent,
    /// The depth of an event that has caused follow-up events, and has failed.
    FollowUpDepth,
}

impl ExceededLimit {
    /// Returns whether the handler was called.
    fn is_of_handler(self) -> bool {
        matches!(self, Self::PerEvent | Self::FollowUpDepth)
    }
}

impl Reason {
    #[cold]
    pub(crate) fn panicked(payload: Box<dyn Any + Send>, is_called: bool) -> Self {
        let panic = Box::new(panic_of(payload));
        if is_called {
            Reason::Panicked(panic)
        } else {
            Reason::PanickedBeforeCall(panic)
        }
    }

    /// Returns whether the handler was called.
    pub(crate) fn is_called(&self) -> bool {
        match self {
            Reason::Panicked(_) => true,
            Reason::Exceeds(limit) => limit.is_of_handler(),
            _ => false,
        }
    }

    /// Returns whether the reason is a panic, or the end of processes.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(
            self,
            Reason::Panicked(_) | Reason::PanickedBeforeCall(_) | Reason::DeadLetter
        )
    }
}
