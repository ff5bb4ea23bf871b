//! Whether a job of a pool runs on top of another job of the same thread.
//!
//! While a thread waits inside a job, as in `rayon::join`, rayon lets it run other jobs on the same stack. A helper must not
//! start there: the job below may hold a lock, or initialise a lazy value, that a system needs. rayon does not say whether a
//! job is nested, so the depth of the stack is compared.
//!
//! Each job of this crate starts in one function, so the main loop of a thread always reaches it at the same depth: the
//! lowest one of that thread, its *top level*. A nested job is deeper by at least the distance that is measured once in a
//! private pool ([`Scale`]). A thread learns its top level from a broadcast job, which it runs before it steals jobs of
//! others, and corrects it whenever it sees a lower depth.
//!
//! Depths are addresses on the stack. Under Miri they have no order, and no job counts as nested.

use core::cell::Cell;
use core::hint::black_box;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak, mpsc};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::help::{Call, Request, call_all, spawn};
use super::occupation::is_occupied;

/// Stacks are assumed to grow towards lower addresses, as they do on all targets of Rust with threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address(usize);

/// A lower depth than the one known is trusted up to this distance in bytes. What is farther away is another stack: some
/// programs continue on a new one where the first gets full.
const SAME_STACK: usize = 1 << 20;

/// A measured distance in bytes above this is not one: where addresses do not tell depths, as with the fake stacks of
/// AddressSanitizer.
const PLAUSIBLE: usize = 1 << 16;

thread_local! {
    /// Where a spawned job starts at the top level of this thread; 0 if that is not known.
    static TOP: Cell<usize> = const { Cell::new(0) };
    /// Whether the pool of this thread is prepared; outside of all pools, the global one.
    static IS_PREPARED: Cell<bool> = const { Cell::new(false) };
}

/// How depths compare: constants of the executable.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// Where a spawned job starts, less where a broadcast one does, at the same level.
    to_spawned: isize,
    /// A job that starts deeper than the top level by more than this is nested. Half the smallest distance of nested jobs.
    slack: usize,
}

/// The address of the frame that calls this, but for a constant.
#[inline(never)]
pub(super) fn address() -> Address {
    let local = 0_u8;
    Address(black_box(&raw const local).addr())
}

/// Whether the spawned job that starts here runs on top of another one. True as well if the top level of this thread is
/// not known.
pub(super) fn is_nested(here: Address) -> bool {
    if cfg!(miri) {
        return false;
    }
    let Some(scale) = scale() else { return false };
    let top = TOP.get();
    if top == 0 {
        return true;
    }
    if here.0 > top {
        // Nothing is below the top level: a wrong depth was learned, or this is another stack.
        let is_same_stack = here.0 - top < SAME_STACK;
        if is_same_stack {
            TOP.set(here.0);
        }
        return !is_same_stack;
    }
    top - here.0 > scale.slack
}

/// The same for a broadcast job. If the top level of this thread is not known, it is here.
pub(super) fn is_broadcast_nested(here: Address) -> bool {
    if cfg!(miri) {
        return false;
    }
    let Some(scale) = scale() else { return false };
    let here = Address(here.0.wrapping_add_signed(scale.to_spawned));
    // An occupied thread is in the middle of a job.
    if TOP.get() == 0 && !is_occupied() {
        TOP.set(here.0);
    }
    is_nested(here)
}

/// Whether the threads of a pool that was set were told to learn their top levels.
#[derive(Debug, Default)]
pub(crate) struct Prepared(bool);

impl Prepared {
    /// Lets all threads of a pool learn their top levels, unless that was done before: of this pool, else of the pool of this
    /// thread.
    ///
    /// For a caller, before each run on several threads: the first system may use the pool, and then its threads wait in
    /// jobs.
    #[inline]
    pub(crate) fn prepare(&mut self, pool: Option<&Arc<ThreadPool>>) {
        let is_prepared = match pool {
            Some(_) => core::mem::replace(&mut self.0, true),
            None => IS_PREPARED.replace(true),
        };
        if !is_prepared {
            prepare(pool);
        }
    }
}

#[cold]
fn prepare(pool: Option<&Arc<ThreadPool>>) {
    static ARE_PREPARED: Mutex<Vec<Weak<ThreadPool>>> = Mutex::new(Vec::new());
    static IS_GLOBAL_PREPARED: OnceLock<()> = OnceLock::new();
    if cfg!(miri) {
        return;
    }
    scale();
    match pool {
        Some(pool) => {
            let mut all = ARE_PREPARED.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|one| one.strong_count() > 0);
            if all.iter().any(|one| Weak::as_ptr(one) == Arc::as_ptr(pool)) {
                return;
            }
            all.push(Arc::downgrade(pool));
            call_all(Some(pool), Call::Learn);
        }
        // Outside of all pools, that is the global one.
        None if rayon::current_thread_index().is_none() => {
            IS_GLOBAL_PREPARED.get_or_init(|| call_all(None, Call::Learn));
        }
        None => call_all(None, Call::Learn),
    }
}

/// Measured once. `None` if addresses do not tell depths, or if there is no thread to measure on.
fn scale() -> Option<Scale> {
    static SCALE: OnceLock<Option<Scale>> = OnceLock::new();
    *SCALE.get_or_init(measure)
}

/// Measures on a thread of its own. The thread that calls waits, but runs no other jobs of its pool.
fn measure() -> Option<Scale> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().ok()?;
    let (sender, addresses) = mpsc::channel();
    spawn(Some(&pool), Request::MeasureBoth(sender.clone()));
    let (spawned, nested) = (addresses.recv().ok()?, addresses.recv().ok()?);
    call_all(Some(&pool), Call::Measure(sender));
    let broadcast = addresses.recv().ok()?;
    let distance = spawned.0.checked_sub(nested.0)?;
    let to_spawned = spawned.0.wrapping_sub(broadcast.0) as isize;
    let is_plausible = distance > 0 && distance.max(to_spawned.unsigned_abs()) < PLAUSIBLE;
    is_plausible.then_some(Scale {
        to_spawned,
        slack: distance / 2,
    })
}

#[cfg(all(test, not(any(loom, miri))))]
mod tests;
