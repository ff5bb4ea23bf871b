//! Atomics of `core`, or of the model checker. So the checked code is the code that runs.

#[cfg(not(loom))]
pub use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A named memory ordering. The model checker weakens it to check that it is needed.
#[cfg(not(loom))]
#[inline(always)]
pub fn needed(_: &'static str, ordering: Ordering) -> Ordering {
    ordering
}

/// Returns the ordering, or `Relaxed` if the model checker weakens this name.
#[cfg(loom)]
pub fn needed(name: &'static str, ordering: Ordering) -> Ordering {
    if model::is_taken_away(name) {
        Ordering::Relaxed
    } else {
        ordering
    }
}

/// Orders a `SeqCst` write before a later `SeqCst` read of another atomic.
///
/// Does nothing, since `SeqCst` accesses already have this order. The model checker treats them as `AcqRel`, so it
/// needs a fence for the order.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn model_fence(_: &'static str) {}

#[cfg(loom)]
pub(crate) fn model_fence(name: &'static str) {
    if !model::is_taken_away(name) {
        loom::sync::atomic::fence(Ordering::SeqCst);
    }
}

/// The ordering that the model checker weakens.
#[cfg(loom)]
pub(crate) mod model {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, PoisonError};

    static WEAKENED: Mutex<Option<&'static str>> = Mutex::new(None);
    static HAS_SUMMARIES: AtomicBool = AtomicBool::new(false);

    /// Sets whether sets of numbers have a summary, whatever their size.
    #[cfg(test)]
    pub(crate) fn set_summaries(has_summaries: bool) {
        HAS_SUMMARIES.store(has_summaries, Ordering::SeqCst);
    }

    pub(crate) fn most_words_without_summary() -> usize {
        if HAS_SUMMARIES.load(Ordering::SeqCst) {
            0
        } else {
            usize::MAX
        }
    }

    /// Weakens the ordering of this name to `Relaxed` from now on. `None`: weakens no ordering.
    pub fn weaken(name: Option<&'static str>) {
        *WEAKENED.lock().unwrap_or_else(PoisonError::into_inner) = name;
    }

    pub(super) fn is_taken_away(name: &'static str) -> bool {
        *WEAKENED.lock().unwrap_or_else(PoisonError::into_inner) == Some(name)
    }
}
