//! How many threads of a pool help at once, whatever they help with.
//!
//! One thread of each pool is left that does not help. A caller outside of the pool may hold a lock over a call to rayon, and
//! wait for a thread of the pool in that call, while helpers wait for the lock. Each run asks for fewer threads than there are,
//! but several runs at once could together occupy all of them.

use core::cell::OnceCell;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// The places for helpers in one pool.
#[derive(Debug)]
pub(super) struct Places {
    n_free: AtomicUsize,
}

thread_local! {
    /// Those of the pool of this thread. Nothing if the thread was not told.
    static OF_POOL: OnceCell<Arc<Places>> = const { OnceCell::new() };
}

impl Places {
    pub(super) fn new(n: usize) -> Arc<Self> {
        let n_free = AtomicUsize::new(n);
        Arc::new(Self { n_free })
    }

    /// These are the places of this thread's pool, unless it was told others before.
    ///
    /// Each caller that prepares a pool tells all its threads by a broadcast. rayon queues broadcasts in the same order for all
    /// threads of a pool, so all threads keep the same places.
    pub(super) fn learn(self: &Arc<Self>) {
        OF_POOL.with(|places| {
            places.get_or_init(|| Arc::clone(self));
        });
    }
}

/// A place for this thread as a helper, until it is dropped.
#[must_use]
pub(super) struct Place(Option<Arc<Places>>);

impl Place {
    /// Takes a place in the pool of this thread, if one is free. If the thread was not told how many there are, there is always one.
    pub(super) fn take() -> Option<Self> {
        let Some(places) = OF_POOL.with(|places| places.get().cloned()) else {
            return Some(Self(None));
        };
        // Relaxed: a number, nothing is published by it.
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        let taken = places
            .n_free
            .fetch_update(set, fetch, |n_free| n_free.checked_sub(1));
        taken.ok().map(|_| Self(Some(places)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(places) = &self.0 {
            // Relaxed: as in `take`.
            places.n_free.fetch_add(1, Ordering::Relaxed);
        }
    }
}
