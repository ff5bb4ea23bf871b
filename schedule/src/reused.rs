//! Memory that is kept between uses, and taken without a lock.

use core::fmt;

use crossbeam_utils::atomic::AtomicCell;

/// A value that one thread takes, uses and puts back.
///
/// Taking and putting are one atomic exchange each, so a run on one thread takes no lock for it. A thread that finds nothing makes a new
/// value: another thread uses the old one, or a panic has dropped it.
pub(crate) struct Reused<T>(AtomicCell<Option<Box<T>>>);

impl<T> Reused<T> {
    /// Keeps this value.
    pub(crate) fn new(value: T) -> Self {
        const { assert!(AtomicCell::<Option<Box<T>>>::is_lock_free()) }
        Self(AtomicCell::new(Some(Box::new(value))))
    }

    /// Takes the value. Calls `make` if there is none.
    pub(crate) fn take_or(&self, make: impl FnOnce() -> T) -> Box<T> {
        self.0.take().unwrap_or_else(|| Box::new(make()))
    }

    /// Puts a value back.
    pub(crate) fn put(&self, value: Box<T>) {
        self.0.store(Some(value));
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
