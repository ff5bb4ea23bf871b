//! Lets helpers into the work that another thread shares, and waits until all of them have left.
//!
//! This is the state that the threads share. It knows no work, so that a model checker can try all interleavings.
//!
//! Invariant: between a successful [`enter`](Entrance::enter) and [`leave`](Entrance::leave), the thread that called
//! [`try_open`](Entrance::try_open) has not returned from [`close`](Entrance::close). A thread that enters sees everything that was
//! written before `open`, and after `close` the owner sees everything that was written before the others left.

use crate::base::sync::{AtomicU32, Ordering, needed};

/// The state of one piece of work.
#[derive(Debug, Default)]
pub(super) struct Entrance {
    /// [`OWNED`], [`OPEN`], and the number of helpers inside.
    state: AtomicU32,
}

/// A thread owns the entrance.
const OWNED: u32 = 1 << 31;

/// Helpers may enter.
const OPEN: u32 = 1 << 30;

impl Entrance {
    /// Takes the entrance, which stays closed. Returns whether it was free.
    pub(super) fn try_own(&self) -> bool {
        // Acquire: pairs with the Release in `release`.
        self.state
            .compare_exchange(
                0,
                OWNED,
                needed("own", Ordering::Acquire),
                Ordering::Relaxed,
            )
            .is_ok()
    }

    /// Lets helpers in. The caller owns the entrance.
    pub(super) fn open(&self) {
        // Release: pairs with the Acquire in `enter`.
        self.state
            .store(OWNED | OPEN, needed("open", Ordering::Release));
    }

    /// Whether helpers may enter. The answer may be outdated.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.state.load(Ordering::Relaxed) & OPEN != 0
    }

    /// Enters, if the entrance is open.
    pub(super) fn enter(&self) -> bool {
        let mut state = self.state.load(Ordering::Relaxed);
        while state & OPEN != 0 {
            // Acquire: pairs with the Release in `open`, also if other helpers entered or left in between.
            match self.state.compare_exchange_weak(
                state,
                state + 1,
                needed("enter", Ordering::Acquire),
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => state = now,
            }
        }
        false
    }

    /// Leaves, after a successful `enter`.
    pub(super) fn leave(&self) {
        // Release: pairs with the Acquire in `has_only_owner`.
        self.state.fetch_sub(1, needed("leave", Ordering::Release));
    }

    /// Lets no more helpers in. The caller owns the entrance.
    pub(super) fn close(&self) {
        // Relaxed: the owner waits for those inside by `has_only_owner`.
        self.state.fetch_and(!OPEN, Ordering::Relaxed);
    }

    /// Whether all helpers have left a closed entrance.
    #[inline]
    pub(super) fn has_only_owner(&self) -> bool {
        // Acquire: pairs with the Release in `leave` of every helper, since these continue each other's release sequences.
        self.state.load(needed("empty", Ordering::Acquire)) == OWNED
    }

    /// Gives the entrance back. The caller owns it, and no thread is inside.
    pub(super) fn release(&self) {
        // Release: pairs with the Acquire in `try_own`.
        self.state.store(0, needed("release", Ordering::Release));
    }
}

#[cfg(all(test, loom))]
mod model;
