//! Memory that is kept between uses, and taken without a lock.
//!
//! Invariant: the pointer is null, or it comes from `Box::into_raw` and is the only one to its value. An exchange passes the value on.
//! (`AtomicCell` of `crossbeam-utils` would keep the pointer as an integer, which is undefined behaviour.)
#![expect(unsafe_code, reason = "owns a value through an atomic pointer")]

use core::fmt;
use core::marker::PhantomData;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Mutex;

/// A value that one thread takes, uses and puts back.
///
/// Taking and putting are one atomic exchange each, so a run on one thread takes no lock for it. A thread that finds nothing makes a new
/// value: another thread uses the old one, or a panic has dropped it.
pub(crate) struct Reused<T> {
    value: AtomicPtr<T>,
    /// Threads may share it if the value may be sent between them, as with a mutex.
    of: PhantomData<Mutex<T>>,
}

impl<T> Reused<T> {
    /// Keeps this value.
    pub(crate) fn new(value: T) -> Self {
        Self {
            value: AtomicPtr::new(Box::into_raw(Box::new(value))),
            of: PhantomData,
        }
    }

    /// Takes the value. Calls `make` if there is none.
    pub(crate) fn take_or(&self, make: impl FnOnce() -> T) -> Box<T> {
        self.exchange(null_mut())
            .unwrap_or_else(|| Box::new(make()))
    }

    /// Puts a value back.
    pub(crate) fn put(&self, value: Box<T>) {
        drop(self.exchange(Box::into_raw(value)));
    }

    /// Stores a pointer, which is null or comes from `Box::into_raw`, and returns the value that was there.
    fn exchange(&self, new: *mut T) -> Option<Box<T>> {
        // Acquire and Release: the next thread sees what this one has written to the value.
        let old = self.value.swap(new, Ordering::AcqRel);
        if old.is_null() {
            return None;
        }
        // SAFETY: by the invariant the pointer comes from `Box::into_raw`, and the exchange has made this call its only owner.
        Some(unsafe { Box::from_raw(old) })
    }
}

impl<T> Drop for Reused<T> {
    fn drop(&mut self) {
        drop(self.exchange(null_mut()));
    }
}

impl<T> fmt::Debug for Reused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reused").finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn value_is_kept_and_made_anew_only_while_it_is_taken() {
        let reused = Reused::new(vec![0; 9]);
        let mut first = reused.take_or(Vec::new);
        first.push(1);
        assert_eq!(*reused.take_or(Vec::new), []);
        reused.put(first);
        assert_eq!(reused.take_or(Vec::new).len(), 10);
    }
}
