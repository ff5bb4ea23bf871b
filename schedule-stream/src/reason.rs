//! Why an event was not handled, in few bytes: it goes from one processor to another.
//!
//! They are whole words: the result of each event is read as such, and to read a word waits for all that was written of it in
//! parts.

use core::any::Any;

use super::found::Missing;
use schedule::error::Panic;
use schedule::internal::panic_of;

/// [`EventError`](super::EventError) without what the handler returned, and with parameters by number.
#[derive(Debug)]
pub(super) enum Reason {
    /// Something that it names.
    Missing(Missing),
    /// The arguments of both.
    Alias(usize, usize),
    /// For that, where the handler says so.
    Skipped,
    /// Another one failed.
    Stopped,
    /// Its handler did, or something after it.
    Panicked(Box<Panic>),
    /// Something did before its handler was called.
    PanickedBeforeCall(Box<Panic>),
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

    /// Whether something panicked.
    pub(super) fn is_panic(&self) -> bool {
        matches!(self, Reason::Panicked(_) | Reason::PanickedBeforeCall(_))
    }
}
