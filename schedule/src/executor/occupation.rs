//! Whether this thread is in the middle of a run, in which it does not begin to help another.

use core::cell::Cell;
use core::mem;
use std::process;

thread_local! {
    static IS_OCCUPIED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread runs a system, or waits in a run for one.
///
/// Then its pool may still give it something else to do, while it waits: by `rayon::join` in a system, or by
/// `rayon::yield_now`.
pub(super) fn is_occupied() -> bool {
    IS_OCCUPIED.get()
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
    let before = IS_OCCUPIED.replace(true);
    let result = work();
    IS_OCCUPIED.set(before);
    mem::forget(abort);
    result
}
