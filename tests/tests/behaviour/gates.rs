//! Who is in what now, so that a system that overlaps with another one finds out.

use std::array;
use std::sync::atomic::{AtomicIsize, Ordering};

/// By number of what is touched: how many read it now; −1 if one writes it.
pub(crate) struct Gates<const N: usize>([AtomicIsize; N]);

/// A system that is in its gates, until this is dropped.
pub(crate) struct Inside<'a> {
    gates: &'a [AtomicIsize],
    accesses: &'a [(usize, bool)],
}

impl<const N: usize> Gates<N> {
    /// `accesses`: numbers, and whether that is written.
    ///
    /// # Panics
    ///
    /// If one that conflicts is in there.
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
