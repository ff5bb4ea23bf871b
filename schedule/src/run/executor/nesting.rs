//! Detects whether a job of a pool runs on top of another job of the same thread.
//!
//! While a thread waits inside a job, as in `rayon::join`, rayon lets it run other jobs on the same stack. A helper
//! must not start there: the job below may hold a lock, or initialise a lazy value, that a system needs. rayon does not
//! report whether a job is nested, so this module compares stack depths.
//!
//! Each job of this crate starts in one function. So the main loop of a thread always reaches it at the same depth, the
//! lowest one of that thread: its *top level*. A nested job starts deeper, by several stack frames. A broadcast job
//! starts at another depth than a spawned one. The difference is a constant that is measured once in a private pool
//! (`prepared.rs`). A thread learns its top level from a broadcast job, which it runs before it steals jobs of others.
//! It corrects the top level whenever it sees a lower depth.
//!
//! Depths are addresses on the stack. Under Miri they have no order, and no job counts as nested.

use core::cell::Cell;
use core::hint::black_box;
use std::sync::OnceLock;

use super::occupation::is_occupied;

/// An address in the stack frame where a job starts. Stacks are assumed to grow towards lower addresses, as on all
/// targets of Rust with threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StackAddress(usize);

/// The maximum distance in bytes at which a lower depth is accepted as the new top level. A larger distance means
/// another stack: some programs continue on a new stack when the first one is full.
const SAME_STACK: usize = 1 << 20;

/// The maximum plausible distance in bytes. If a measured distance is larger, addresses do not indicate depths, as with
/// the fake stacks of AddressSanitizer.
const PLAUSIBLE: usize = 1 << 16;

/// A job that starts deeper than the top level by more than this number of bytes is nested. All jobs of the top level
/// start at one depth. At least three frames separate a job from a job on top of it. They belong to the job, to its
/// call to rayon, and to rayon's function that runs jobs. Their sizes depend on the job below and on the optimiser, so
/// they are not measured.
const SLACK: usize = 4 * size_of::<usize>();

thread_local! {
    /// The address where a spawned job starts at the top level of this thread. 0 if unknown.
    static TOP: Cell<usize> = const { Cell::new(0) };
}

/// The relation between depths of spawned and broadcast jobs, a constant of the executable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// The start address of a spawned job minus that of a broadcast job, at the same level.
    to_spawned: isize,
}

/// Returns an address in the frame of the caller, at a constant offset.
#[inline(never)]
pub(super) fn address() -> StackAddress {
    let local = 0_u8;
    StackAddress(black_box(&raw const local).addr())
}

/// Whether the spawned job that starts at `here` runs on top of another job. True as well if the top level of this
/// thread is unknown.
pub(super) fn is_nested(here: StackAddress) -> bool {
    if cfg!(miri) {
        return false;
    }
    if scale().is_none() {
        return false;
    }
    let top = TOP.get();
    if top == 0 {
        return true;
    }
    if here.0 > top {
        // No job starts above the top level. So the known depth is wrong, or `here` is on another stack.
        let is_same_stack = here.0 - top < SAME_STACK;
        if is_same_stack {
            TOP.set(here.0);
        }
        return !is_same_stack;
    }
    top - here.0 > SLACK
}

/// The same for a broadcast job. If the top level of this thread is unknown, this depth becomes it.
pub(super) fn is_broadcast_nested(here: StackAddress) -> bool {
    if cfg!(miri) {
        return false;
    }
    let Some(scale) = scale() else { return false };
    let here = StackAddress(here.0.wrapping_add_signed(scale.to_spawned));
    // An occupied thread is in the middle of a job, so this depth is not its top level.
    if TOP.get() == 0 && !is_occupied() {
        TOP.set(here.0);
    }
    is_nested(here)
}

/// Measured once, before the first request of a process. `None` if addresses do not indicate depths, or if there is no
/// thread to measure on.
static SCALE: OnceLock<Option<Scale>> = OnceLock::new();

fn scale() -> Option<Scale> {
    SCALE.get().copied().flatten()
}

impl Scale {
    /// Sets the scale of the process to the result of `measure`, unless it is set.
    pub(super) fn set(measure: impl FnOnce() -> Option<Self>) {
        SCALE.get_or_init(measure);
    }

    /// Computes the scale from the start addresses of three jobs: a spawned job, a job on top of it, and a broadcast
    /// job of the same thread. `None` if the addresses do not indicate depths.
    pub(super) fn new(
        spawned: StackAddress,
        nested: StackAddress,
        broadcast: StackAddress,
    ) -> Option<Self> {
        let distance = spawned.0.checked_sub(nested.0)?;
        let to_spawned = spawned.0.wrapping_sub(broadcast.0) as isize;
        let is_plausible = distance > SLACK && distance.max(to_spawned.unsigned_abs()) < PLAUSIBLE;
        is_plausible.then_some(Self { to_spawned })
    }
}

#[cfg(all(test, not(any(loom, miri))))]
mod tests;
