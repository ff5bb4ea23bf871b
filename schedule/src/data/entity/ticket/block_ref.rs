//! References to a block of tickets, counted in advance.
//!
//! An issuer counts the references of all tickets of a block when it creates the block. So a new ticket needs no atomic operation, as it
//! would with `Arc`.
//!
//! Invariant: the pointer comes from `Box::leak`. `n_refs` is the number of values that refer to the block, and of references that its
//! issuer has counted in advance and not yet created. The value that makes it 0 is the last one, and frees the block.
#![expect(
    unsafe_code,
    reason = "frees a block with the last reference to it, as `Arc` does"
)]

use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::block::Block;

/// A reference to a block.
pub(super) struct BlockRef<E> {
    counted: NonNull<CountedBlock<E>>,
    owns: PhantomData<CountedBlock<E>>,
}

struct CountedBlock<E> {
    n_refs: AtomicUsize,
    block: Block<E>,
}

/// A count above it aborts the process, as for `Arc`, because it would overflow.
const MOST_REFS: usize = isize::MAX as usize;

// SAFETY: it gives shared access to a block, and the last one drops the block on its thread.
unsafe impl<E: Send + Sync> Send for BlockRef<E> {}

// SAFETY: as for `Send`, because a shared reference can be cloned.
unsafe impl<E: Send + Sync> Sync for BlockRef<E> {}

impl<E> BlockRef<E> {
    /// Creates a block, and counts more references in advance.
    pub(super) fn new(n_more: usize) -> Self {
        let counted = Box::new(CountedBlock {
            n_refs: AtomicUsize::new(1 + n_more),
            block: Block::new(),
        });
        Self {
            counted: NonNull::from(Box::leak(counted)),
            owns: PhantomData,
        }
    }

    /// Creates a reference that was counted in advance.
    ///
    /// # Safety
    ///
    /// There is one that was neither created nor given back.
    #[inline]
    pub(super) unsafe fn counted(&self) -> Self {
        Self {
            counted: self.counted,
            owns: PhantomData,
        }
    }

    /// Gives back references that were counted in advance.
    ///
    /// # Safety
    ///
    /// There are as many that were neither created nor given back.
    pub(super) unsafe fn give_back(&self, n: usize) {
        // Release: as in `drop`. This reference remains, so the count does not become 0.
        self.n_refs().fetch_sub(n, Ordering::Release);
    }

    /// Forgets the entities, and counts references in advance again, if this is the only reference and none is counted in advance. Returns
    /// whether it is.
    pub(super) fn reset_if_only(&mut self, n_more: usize) -> bool {
        // Acquire: pairs with the Release in `drop`, so that all accesses through other references have happened.
        if self.n_refs().load(Ordering::Acquire) != 1 {
            return false;
        }
        // SAFETY: by the invariant, the block exists. This is the only reference, and it is borrowed exclusively.
        let counted = unsafe { self.counted.as_mut() };
        counted.block.reset();
        *counted.n_refs.get_mut() = 1 + n_more;
        true
    }

    #[inline]
    fn n_refs(&self) -> &AtomicUsize {
        // SAFETY: by the invariant, the block exists as long as this reference.
        unsafe { &self.counted.as_ref().n_refs }
    }
}

impl<E> Deref for BlockRef<E> {
    type Target = Block<E>;

    #[inline]
    fn deref(&self) -> &Block<E> {
        // SAFETY: by the invariant, the block exists as long as this reference.
        unsafe { &self.counted.as_ref().block }
    }
}

impl<E> Clone for BlockRef<E> {
    fn clone(&self) -> Self {
        // Relaxed: this reference is not dropped meanwhile, so the block exists.
        let n_before = self.n_refs().fetch_add(1, Ordering::Relaxed);
        if n_before > MOST_REFS {
            std::process::abort();
        }
        Self {
            counted: self.counted,
            owns: PhantomData,
        }
    }
}

impl<E> Drop for BlockRef<E> {
    #[inline]
    fn drop(&mut self) {
        // Acquire and Release: pairs with itself and with `reset_if_only`, so that the last reference sees all accesses through the others.
        if self.n_refs().fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: by the invariant, the pointer comes from a box, and this was the last reference.
            drop(unsafe { Box::from_raw(self.counted.as_ptr()) });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_block_is_reset_only_without_other_references() {
        let mut issuer = BlockRef::<u32>::new(2);
        // SAFETY: two were counted.
        let first = unsafe { issuer.counted() };
        // SAFETY: the second one.
        let second = unsafe { issuer.counted() };
        let clone = first.clone();
        // SAFETY: this is the only call.
        unsafe { issuer.resolve(0, 7) };
        drop(first);
        drop(second);
        assert!(!issuer.reset_if_only(1));
        assert_eq!(clone.entity(0), Some(7));
        drop(clone);
        assert!(issuer.reset_if_only(1));
        assert_eq!(issuer.entity(0), None);
        assert!(!issuer.reset_if_only(1), "one is counted in advance");
        // SAFETY: one was counted.
        unsafe { issuer.give_back(1) };
        assert!(issuer.reset_if_only(0));
    }

    #[test]
    fn the_last_reference_may_be_on_any_thread() {
        for _ in 0..100 {
            let issuer = BlockRef::<u64>::new(2);
            // SAFETY: two were counted.
            let tickets = [unsafe { issuer.counted() }, unsafe { issuer.counted() }];
            // SAFETY: this is the only call.
            unsafe { issuer.resolve(0, 3) };
            thread::scope(|scope| {
                for ticket in tickets {
                    scope.spawn(move || assert_eq!(ticket.clone().entity(0), Some(3)));
                }
                scope.spawn(move || drop(issuer));
            });
        }
    }
}
