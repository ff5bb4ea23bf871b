//! The threads of a service: a call on one of them must not wait for the same service.
//!
//! The own threads, and threads of the pool while they call a handler of the service, are marked by a [`ProcessingScope`]. Threads
//! that a handler or a callback starts or uses itself are not known.

use crate::engine::arrivals::{ProcessingScope, next_id};

/// Identifies the threads of a service.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnThreads(u64);

impl OwnThreads {
    /// Of a new service.
    pub(super) fn new() -> Self {
        Self(next_id())
    }

    /// The number for [`CallSettings::channel`](crate::engine::stream::CallSettings), which marks threads that help.
    pub(super) fn id(self) -> u64 {
        self.0
    }

    /// Marks this thread, until the result is dropped.
    pub(super) fn enter(self) -> ProcessingScope {
        ProcessingScope::new(self.0)
    }

    /// Returns whether this thread is one of them.
    pub(super) fn has_this(self) -> bool {
        ProcessingScope::has(self.0)
    }
}
