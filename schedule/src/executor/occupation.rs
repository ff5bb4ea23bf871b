//! Whether this thread is in the middle of a run, or of a stream, in which it does not begin to help another.

use core::cell::Cell;
use core::marker::PhantomData;
use core::mem;
use std::process;

thread_local! {
    static IS_OCCUPIED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread runs a system or a handler, or waits in a run or in a stream for one.
///
/// Then its pool may still give it something else to do, while it waits: by `rayon::join` in a system, or by
/// `rayon::yield_now`.
pub(crate) fn is_occupied() -> bool {
    IS_OCCUPIED.get()
}

/// This thread is occupied until it is dropped, there.
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

/// Is occupied while `work` runs.
///
/// Ends the program if that panics: in the executor itself, since systems are caught. Others use what the run borrows
/// at that time, so it cannot be left.
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
