//! Atomics, of `core` or of the model checker, so that what is checked is what runs.

#[cfg(not(loom))]
pub use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// An ordering under a name. The model checker takes it away, to see that it is needed.
#[cfg(not(loom))]
#[inline(always)]
pub fn needed(_: &'static str, ordering: Ordering) -> Ordering {
    ordering
}

/// The ordering, or `Relaxed` if the model checker takes it away.
#[cfg(loom)]
pub fn needed(name: &'static str, ordering: Ordering) -> Ordering {
    if model::is_taken_away(name) {
        Ordering::Relaxed
    } else {
        ordering
    }
}

/// Stands between a write and a read of something else, both `SeqCst`, that must not change places.
///
/// Nothing, since the two accesses see to that themselves. The model checker takes `SeqCst` accesses for `AcqRel` ones,
/// and knows such an order by fences only.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn model_fence(_: &'static str) {}

#[cfg(loom)]
pub(crate) fn model_fence(name: &'static str) {
    if !model::is_taken_away(name) {
        loom::sync::atomic::fence(Ordering::SeqCst);
    }
}

/// What the model checker takes away.
#[cfg(loom)]
pub(crate) mod model {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, PoisonError};

    static TAKEN_AWAY: Mutex<Option<&'static str>> = Mutex::new(None);
    static HAS_SUMMARIES: AtomicBool = AtomicBool::new(false);

    /// Sets may be too small to have a summary, unless that is asked for.
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

    /// Makes the ordering of this name `Relaxed` from now on; with `None`, no ordering.
    pub fn take_away(name: Option<&'static str>) {
        *TAKEN_AWAY.lock().unwrap_or_else(PoisonError::into_inner) = name;
    }

    pub(super) fn is_taken_away(name: &'static str) -> bool {
        *TAKEN_AWAY.lock().unwrap_or_else(PoisonError::into_inner) == Some(name)
    }
}
