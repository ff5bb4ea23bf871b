//! Slow handlers: calls that take at least as long as a threshold are reported.

use core::fmt;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::base::notices;
use crate::base::position::Position;
use schedule::internal::drop_caught;

/// A handler call that took at least as long as the threshold: see
/// [`Stream::set_slow_handler_threshold`](crate::Stream::set_slow_handler_threshold).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlowHandler {
    /// The name of the handler.
    pub handler: &'static str,
    /// The position of the event. `None` for a query of a service, which has no position.
    pub position: Option<Position>,
    /// The time of the call.
    pub duration: Duration,
}

/// See [`Stream::set_slow_handler_callback`](crate::Stream::set_slow_handler_callback).
pub(crate) type SlowHandlerCallback = Arc<dyn Fn(&SlowHandler) + Send + Sync>;

/// The settings of slow handlers.
#[derive(Clone, Default)]
pub(crate) struct SlowHandlers {
    /// `None` if handlers are not timed.
    pub(crate) threshold: Option<Duration>,
    pub(crate) callback: Option<SlowHandlerCallback>,
}

impl SlowHandlers {
    /// Reports a handler call, if it is slow. Returns whether it is.
    pub(crate) fn note(&self, stream: Option<&str>, call: &SlowHandler) -> bool {
        let is_slow = self
            .threshold
            .is_some_and(|threshold| call.duration >= threshold);
        if is_slow {
            // A callback or subscriber that panics changes no outcome.
            let reported = catch_unwind(AssertUnwindSafe(|| {
                notices::slow_handler(stream, call.handler, call.position, call.duration);
                if let Some(callback) = &self.callback {
                    callback(call);
                }
            }));
            drop_caught(reported);
        }
        is_slow
    }
}

impl fmt::Debug for SlowHandlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlowHandlers")
            .field("threshold", &self.threshold)
            .finish_non_exhaustive()
    }
}
