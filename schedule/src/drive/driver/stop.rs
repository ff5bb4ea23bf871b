//! A token that stops drivers.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use schedule_macros::Resource;

/// Stops a [`Driver`](super::Driver). Clones stop the same drivers.
///
/// Any thread can call [`stop`](Self::stop). As a resource, a system can. A driver that waits wakes up. A handler of Unix signals itself
/// must not call it, because it takes a lock. Call it on a thread that waits for signals.
///
/// ```
/// use schedule::StopToken;
///
/// let token = StopToken::new();
/// let other = token.clone();
/// std::thread::spawn(move || other.stop()).join().unwrap();
/// assert!(token.is_stopped());
/// ```
#[derive(Resource, Clone, Debug, Default)]
#[resource(crate = crate)]
pub struct StopToken(Arc<StopState>);

#[derive(Debug, Default)]
struct StopState {
    is_stopped: AtomicBool,
    /// Held while `is_stopped` is set, so that no waiting thread misses it.
    lock: Mutex<()>,
    changed: Condvar,
}

impl StopToken {
    /// Creates a token that is not stopped.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the drivers with this token, for good.
    pub fn stop(&self) {
        let lock = self.0.lock();
        // Release: pairs with the Acquire in `is_stopped`.
        self.0.is_stopped.store(true, Ordering::Release);
        drop(lock);
        self.0.changed.notify_all();
    }

    /// Whether the token was stopped.
    pub fn is_stopped(&self) -> bool {
        // Acquire: pairs with the Release in `stop`.
        self.0.is_stopped.load(Ordering::Acquire)
    }

    /// Blocks until the token is stopped, or for this duration. It may return earlier without a reason. For implementations of
    /// [`Timer`](super::Timer).
    pub fn wait_timeout(&self, timeout: Duration) {
        let lock = self.0.lock();
        if !self.is_stopped() {
            let waited = self.0.changed.wait_timeout(lock, timeout);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl StopState {
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
