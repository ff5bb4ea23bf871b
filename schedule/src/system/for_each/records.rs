//! The records and failures of blocks. Their memory is reused in the next run.

use core::mem::{size_of, swap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::entity::ForEachError;
use crate::panics::drop_caught;

/// The memory for the records `B` of blocks, and for the failure at an entity `E`.
pub(super) struct Records<B, E> {
    /// The records of each block, by its number. Records without size have no slots.
    slots: Vec<Mutex<Option<B>>>,
    /// The failures, with the number of a block: the first block of those that were run together when the first one failed.
    failed: Mutex<Option<(usize, ForEachError<E>)>>,
}

/// Records in one run. Those that are not taken are dropped at its end.
pub(super) struct RunRecords<'r, B, E>(&'r mut Records<B, E>);

impl<B, E> Records<B, E> {
    /// Whether blocks record anything.
    const HAS_SLOTS: bool = size_of::<B>() > 0;

    pub(super) fn new() -> Self {
        Self {
            slots: Vec::new(),
            failed: Mutex::new(None),
        }
    }

    /// Starts a run of this many blocks.
    #[inline]
    pub(super) fn begin(&mut self, n_blocks: usize) -> RunRecords<'_, B, E> {
        if Self::HAS_SLOTS && self.slots.len() < n_blocks {
            self.slots.resize_with(n_blocks, Mutex::default);
        }
        RunRecords(self)
    }
}

impl<B, E> RunRecords<'_, B, E> {
    /// Stores the records of a block.
    #[inline]
    pub(super) fn put(&self, block: usize, records: B) {
        if Records::<B, E>::HAS_SLOTS {
            *lock(&self.0.slots[block]) = Some(records);
        }
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

    /// Calls a function with the records of each block, in order.
    #[inline]
    pub(super) fn take_each(&mut self, mut take: impl FnMut(B)) {
        for slot in &mut self.0.slots {
            if let Some(records) = get_mut(slot).take() {
                take(records);
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
        self.take_each(drop_caught);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn get_mut<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}
