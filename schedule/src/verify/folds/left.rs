//! Counts the members of a group that are not completed.
//!
//! This is the state that the threads share. It knows no systems, so that a model checker can try all interleavings.
//!
//! Invariant: between two resets, each member is completed once. The thread that completes the last member sees everything that the
//! other threads wrote before they completed theirs.

use crate::base::sync::{AtomicU32, Ordering, needed};

/// The number of members that are not completed in this pass of their level.
#[derive(Debug)]
pub(super) struct MembersLeft {
    n_left: AtomicU32,
    n_members: u32,
}

impl MembersLeft {
    pub(super) fn new(n_members: u32) -> Self {
        Self {
            n_left: AtomicU32::new(n_members),
            n_members,
        }
    }

    /// Completes a member. Returns whether it is the last one. If so, resets the count for the next pass, which begins only after all
    /// members of this pass are completed.
    pub(super) fn complete(&self) -> bool {
        // Release: pairs with the Acquire of the last member, which then accesses the states of all systems of the group.
        let ordering = needed("complete member", Ordering::AcqRel);
        let is_last = self.n_left.fetch_sub(1, ordering) == 1;
        if is_last {
            // Relaxed: the executor passes the value on, with the nodes of the next pass.
            self.n_left.store(self.n_members, Ordering::Relaxed);
        }
        is_last
    }
}

#[cfg(all(test, loom))]
mod model;
