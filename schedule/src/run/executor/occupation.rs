//! Whether a thread is inside of a run or of a stream. If so, it does not begin to help another one.

use core::cell::Cell;
use core::marker::PhantomData;
use core::mem;
use std::process;

thread_local! {
    static IS_OCCUPIED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread runs a system or a handler, or waits in a run or in a stream.
///
/// A waiting thread may still get other jobs of its pool, by `rayon::join` in a system or by `rayon::yield_now`.
pub(crate) fn is_occupied() -> bool {
    IS_OCCUPIED.get()
}

/// Marks the thread that created it as occupied, until it is dropped.
#[must_use]
#[derive(Debug)]
pub struct Occupation {
    was_occupied: bool,
    of_this_thread: PhantomData<*mut ()>,
}

impl Occupation {
    /// Marks this thread as occupied.
    #[inline]
    pub fn begin() -> Self {
        Self {
            was_occupied: IS_OCCUPIED.replace(true),
            of_this_thread: PhantomData,
        }
    }
}

impl Drop for Occupation {
    #[inline]
    fn drop(&mut self) {
        IS_OCCUPIED.set(self.was_occupied);
    }
}

/// Marks this thread as occupied while `work` runs.
///
/// Aborts the program if `work` panics. Panics of systems are caught, so this would be a panic of the executor. Other
/// threads use the borrows of the run at that time, so unwinding is not possible.
pub(super) fn occupied<R>(work: impl FnOnce() -> R) -> R {
    struct Abort;
    impl Drop for Abort {
        fn drop(&mut self) {
            process::abort();
        }
    }
    let abort = Abort;
    let occupation = Occupation::begin();
    let result = work();
    drop(occupation);
    mem::forget(abort);
    result
}
