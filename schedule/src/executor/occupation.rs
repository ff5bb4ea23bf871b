//! What this thread does for runs, so that a thread that is in the middle of a system does not begin to help.

use core::cell::Cell;

thread_local! {
    static OCCUPATION: Cell<Occupation> = const { Cell::new(Occupation::None) };
}

/// What a thread does for runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occupation {
    /// Nothing.
    None,
    /// It waits inside a run, and lets its pool do something else meanwhile.
    Waiting,
    /// It runs systems. If one of them waits for its pool, as by `rayon::join`, the pool may do something else here.
    Working,
}

impl Occupation {
    /// What this thread does.
    pub(super) fn of_this_thread() -> Self {
        OCCUPATION.get()
    }

    /// Does this while `during` runs, which does not unwind.
    pub(super) fn during<R>(self, during: impl FnOnce() -> R) -> R {
        let before = OCCUPATION.replace(self);
        let result = during();
        OCCUPATION.set(before);
        result
    }
}
