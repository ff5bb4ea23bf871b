//! Whether a job of a pool runs on top of another job of the same thread.
//!
//! While a thread waits inside a job, as in `rayon::join`, rayon lets it run other jobs on the same stack. A helper must not
//! start there: the job below may hold a lock, or initialise a lazy value, that a system needs. rayon does not say whether a
//! job is nested, so the depth of the stack is compared.
//!
//! Each job of this crate starts in one function, so the main loop of a thread always reaches it at the same depth: the
//! lowest one of that thread, its *top level*. A nested job starts deeper, by several stack frames. A broadcast job starts
//! at another depth than a spawned one, by a constant that is measured once in a private pool (`prepared.rs`). A thread learns
//! its top level from a broadcast job, which it runs before it steals jobs of others, and corrects it whenever it sees a
//! lower depth.
//!
//! Depths are addresses on the stack. Under Miri they have no order, and no job counts as nested.

use core::cell::Cell;
use core::hint::black_box;
use std::sync::OnceLock;

use super::occupation::is_occupied;

/// Stacks are assumed to grow towards lower addresses, as they do on all targets of Rust with threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StackAddress(usize);

/// A lower depth than the one known is trusted up to this distance in bytes. What is farther away is another stack: some
/// programs continue on a new one where the first gets full.
const SAME_STACK: usize = 1 << 20;

/// A larger measured distance is rejected: addresses do not tell depths there, as with the fake stacks of AddressSanitizer.
const PLAUSIBLE: usize = 1 << 16;

/// A job that starts deeper than the top level by more than this number of bytes is nested. All jobs of the top level start at
/// one depth, and between a job and one on top of it are at least the frames of the job, of the call to rayon, and of
/// rayon's function that runs jobs. Their sizes depend on the job below and on the optimiser, so they are not measured.
const SLACK: usize = 4 * size_of::<usize>();

thread_local! {
    /// Where a spawned job starts at the top level of this thread; 0 if that is not known.
    static TOP: Cell<usize> = const { Cell::new(0) };
}

/// How depths compare: a constant of the executable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Where a spawned job starts, less where a broadcast one does, at the same level.
    to_spawned: isize,
}

/// An address in the caller's frame, at a constant offset.
#[inline(never)]
pub(super) fn address() -> StackAddress {
    let local = 0_u8;
    StackAddress(black_box(&raw const local).addr())
}

/// Whether the spawned job that starts here runs on top of another one. True as well if the top level of this thread is
/// not known.
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
        // No job starts above the top level: a wrong depth was learned, or this is another stack.
        let is_same_stack = here.0 - top < SAME_STACK;
        if is_same_stack {
            TOP.set(here.0);
        }
        return !is_same_stack;
    }
    top - here.0 > SLACK
}

/// The same for a broadcast job. If the top level of this thread is not known, this depth becomes it.
pub(super) fn is_broadcast_nested(here: StackAddress) -> bool {
    if cfg!(miri) {
        return false;
    }
    let Some(scale) = scale() else { return false };
    let here = StackAddress(here.0.wrapping_add_signed(scale.to_spawned));
    // An occupied thread is in the middle of a job.
    if TOP.get() == 0 && !is_occupied() {
        TOP.set(here.0);
    }
    is_nested(here)
}

/// Measured once, before the first request of a process. `None` if addresses do not tell depths, or if there is no thread to
/// measure on.
static SCALE: OnceLock<Option<Scale>> = OnceLock::new();

fn scale() -> Option<Scale> {
    SCALE.get().copied().flatten()
}

impl Scale {
    /// Takes what this measures for the scale of the process, unless there is one.
    pub(super) fn set(measure: impl FnOnce() -> Option<Self>) {
        SCALE.get_or_init(measure);
    }

    /// From where jobs of one thread start: a spawned one, one on top of that, and a broadcast one. `None` if these addresses
    /// do not tell depths.
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
