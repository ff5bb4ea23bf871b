//! Records the current accesses, so that overlapping systems detect each other.

use std::array;
use std::sync::atomic::{AtomicIsize, Ordering};

/// For each number, the count of current readers, or −1 during a write.
pub(crate) struct Gates<const N: usize>([AtomicIsize; N]);

/// A system that holds its gates until this is dropped.
pub(crate) struct Inside<'a> {
    gates: &'a [AtomicIsize],
    accesses: &'a [(usize, bool)],
}

impl<const N: usize> Gates<N> {
    /// `accesses`: numbers, each with the fact whether it is written.
    ///
    /// # Panics
    ///
    /// Panics if a conflicting system holds a gate.
    pub(crate) fn enter<'a>(&'a self, accesses: &'a [(usize, bool)]) -> Inside<'a> {
        let Self(gates) = self;
        for &(number, is_write) in accesses {
            let gate = &gates[number];
            let is_free = if is_write {
                gate.swap(-1, Ordering::SeqCst) == 0
            } else {
                gate.fetch_add(1, Ordering::SeqCst) >= 0
            };
            assert!(is_free, "overlaps with another one on {number}");
        }
        Inside { gates, accesses }
    }
}

impl<const N: usize> Default for Gates<N> {
    fn default() -> Self {
        Self(array::from_fn(|_| AtomicIsize::new(0)))
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        for &(number, is_write) in self.accesses {
            let gate = &self.gates[number];
            if is_write {
                gate.store(0, Ordering::SeqCst);
            } else {
                gate.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }
}
