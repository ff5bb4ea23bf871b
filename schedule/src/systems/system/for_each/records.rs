//! The records and failures of blocks. Their memory is reused in the next run.
//!
//! Invariant: while the records are shared, only the kernel that runs a block accesses its slot. So slots need no locks.
#![expect(unsafe_code, reason = "writes a slot through a shared reference")]

use core::cell::UnsafeCell;
use core::mem::{swap, take};
use core::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::accumulators::ThreadAccumulators;
use crate::base::panics::drop_caught;
use crate::data::entity::ForEachError;

/// The memory for the records `B` of blocks, and for the failure at an entity `E`.
pub(super) struct Records<B, E> {
    /// The slot of each block, by its number. Empty if blocks record nothing.
    slots: Vec<BlockSlot<B>>,
    /// Empty if no records are accumulators.
    accumulators: ThreadAccumulators<B>,
    /// The failures, with the number of a block: the first block of those that were run together when the first one failed.
    failed: Mutex<Option<(usize, ForEachError<E>)>>,
}

/// The records of a block.
struct BlockSlot<B> {
    /// Those of this run, or empty ones of an earlier run.
    records: UnsafeCell<Option<B>>,
    is_recorded: UnsafeCell<bool>,
}

// SAFETY: by the invariant, one thread at a time accesses the records, which are `Send`.
unsafe impl<B: Send> Sync for BlockSlot<B> {}

/// Records in one run. Those that are not taken are dropped at its end.
pub(super) struct RunRecords<'r, B, E>(&'r mut Records<B, E>);

impl<B, E> Records<B, E> {
    pub(super) fn new() -> Self {
        Self {
            slots: Vec::new(),
            accumulators: ThreadAccumulators::new(),
            failed: Mutex::new(None),
        }
    }

    /// Starts a run with this many slots.
    #[inline]
    pub(super) fn begin(&mut self, n_slots: usize) -> RunRecords<'_, B, E> {
        if self.slots.len() < n_slots {
            self.slots.resize_with(n_slots, || BlockSlot {
                records: UnsafeCell::new(None),
                is_recorded: UnsafeCell::new(false),
            });
        }
        RunRecords(self)
    }
}

impl<B, E> RunRecords<'_, B, E> {
    /// Returns the address of the records of a block: empty ones of an earlier run, or new ones. It is valid until the run ends.
    ///
    /// # Safety
    ///
    /// Until the run ends, only the caller runs the block and accesses its records.
    ///
    /// # Panics
    ///
    /// Panics if there is no slot for the block, or if `begin` panics.
    #[inline]
    pub(super) unsafe fn open(&self, block: usize, begin: impl FnOnce() -> B) -> NonNull<B> {
        let slot = &self.0.slots[block];
        // SAFETY: by the invariant, only the caller accesses the slot.
        let records = unsafe { &mut *slot.records.get() };
        let records = NonNull::from(records.get_or_insert_with(begin));
        // SAFETY: as above.
        unsafe { slot.is_recorded.get().write(true) };
        records
    }

    /// Returns the accumulators that no thread uses.
    pub(super) fn accumulators(&self) -> &ThreadAccumulators<B> {
        &self.0.accumulators
    }

    /// Returns the accumulators of all threads, while no thread runs blocks.
    pub(super) fn accumulators_mut(&mut self) -> &mut ThreadAccumulators<B> {
        &mut self.0.accumulators
    }

    /// Stores the failures in blocks that were run together. `block` is the first of them.
    #[cold]
    pub(super) fn fail(&self, block: usize, mut failed: ForEachError<E>) {
        let mut all = lock(&self.0.failed);
        match &mut *all {
            None => *all = Some((block, failed)),
            Some((first_block, first)) => {
                if block < *first_block {
                    *first_block = block;
                    swap(first, &mut failed);
                }
                first.add_later(&failed);
                // The `Drop` of the error is user code.
                drop(all);
                drop(failed);
            }
        }
    }

    /// Returns all failures as one error.
    #[inline]
    pub(super) fn take_failure(&mut self) -> Option<ForEachError<E>> {
        let (_, failed) = get_mut(&mut self.0.failed).take()?;
        Some(failed)
    }

    /// Calls a function with the records of each block, in order. The function empties them.
    #[inline]
    pub(super) fn take_each(&mut self, mut empty: impl FnMut(&mut B)) {
        for slot in &mut self.0.slots {
            if take(slot.is_recorded.get_mut())
                && let Some(mut records) = slot.records.get_mut().take()
            {
                empty(&mut records);
                // Not if the function panics, because the records may then not be empty.
                *slot.records.get_mut() = Some(records);
            }
        }
    }
}

impl<B, E> Drop for RunRecords<'_, B, E> {
    #[inline]
    fn drop(&mut self) {
        if let Some(failed) = self.take_failure() {
            drop_caught(failed);
        }
        for slot in &mut self.0.slots {
            if take(slot.is_recorded.get_mut()) {
                drop_caught(slot.records.get_mut().take());
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn get_mut<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}
