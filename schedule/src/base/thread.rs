//! Numbers of threads.

use core::sync::atomic::{AtomicU32, Ordering};

/// A unique number for the current thread.
pub(crate) fn thread_number() -> u32 {
    static N_THREADS: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        // Relaxed: only uniqueness matters.
        static THREAD: u32 = N_THREADS.fetch_add(1, Ordering::Relaxed);
    }
    THREAD.with(|&thread| thread)
}
