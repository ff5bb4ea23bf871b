//! The threads that help a stream.
//!
//! They come when they are asked for, help with whatever the stream processes its events by at the moment, and leave when
//! there has been nothing to do for a while. Nothing waits for one that is late.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use rayon::ThreadPool;

use super::dispatch::FRONT;
use crate::executor::help::call_for_help;
use crate::executor::occupation::{Occupation, is_occupied};
use crate::executor::placement::Placement;
use crate::executor::role::Role;

/// What there is to help with.
pub(super) trait Work: Send + Sync {
    /// Processes events as the `thread`th thread, until there have been none for a while, or there is other work than this, the
    /// `n_works`th.
    fn help(&self, thread: usize, crew: &Crew, n_works: u32);
}

/// See the module.
pub(super) struct Crew {
    /// Bits: the numbers of those that are there, from 0 on. Of two at once, none is the same.
    helpers: AtomicU64,
    is_front_asleep: AtomicBool,
    front: Mutex<Option<Thread>>,
    placement: Placement,
    work: Mutex<Option<Arc<dyn Work>>>,
    /// How often that was changed.
    n_works: AtomicU32,
}

impl Crew {
    pub(super) fn new() -> Self {
        Self {
            helpers: AtomicU64::new(0),
            is_front_asleep: AtomicBool::new(false),
            front: Mutex::new(None),
            placement: Placement::new(),
            work: Mutex::new(None),
            n_works: AtomicU32::new(0),
        }
    }

    /// This thread is the front, and that is the work. Who helped with other work helps with this.
    pub(super) fn set_work(&self, work: &Arc<impl Work + 'static>) {
        *lock(&self.front) = Some(thread::current());
        let mut current = lock(&self.work);
        let is_it =
            |other: &Arc<dyn Work>| core::ptr::addr_eq(Arc::as_ptr(other), Arc::as_ptr(work));
        if !current.as_ref().is_some_and(is_it) {
            *current = Some(work.clone());
            // Relaxed: a helper that misses it finds nothing to do, and looks again.
            self.n_works.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How often there was other work. To be asked before there is any to be found.
    #[inline]
    pub(super) fn n_works(&self) -> u32 {
        // Relaxed: as in `set_work`.
        self.n_works.load(Ordering::Relaxed)
    }

    /// Asks for a helper, if there may be one more.
    #[inline]
    pub(super) fn ask(self: &Arc<Self>, most: u32, pool: Option<&ThreadPool>) {
        // Relaxed: only the front asks; who leaves meanwhile is asked for again.
        let helpers = self.helpers.load(Ordering::Relaxed);
        let all = 1_u64.checked_shl(most).unwrap_or(0).wrapping_sub(1);
        if helpers != all && helpers.count_ones() < most {
            self.call(pool);
        }
    }

    #[cold]
    fn call(self: &Arc<Self>, pool: Option<&ThreadPool>) {
        // Acquire: pairs with the Release of who leaves: who gets his number sees what he did by it.
        let nth = self.helpers.load(Ordering::Acquire).trailing_ones();
        let Some(bit) = 1_u64.checked_shl(nth) else {
            return;
        };
        // Relaxed: only the front adds some.
        self.helpers.fetch_or(bit, Ordering::Relaxed);
        let crew = Arc::clone(self);
        call_for_help(Role::Caller, pool, &self.placement, move || {
            crew.help(FRONT + 1 + nth as usize);
            // Release: pairs with the Acquire above.
            crew.helpers.fetch_and(!bit, Ordering::Release);
        });
    }

    fn help(&self, thread: usize) {
        if is_occupied() {
            // In a handler or a system that waits for its pool, or in a stream that waits: that shall not wait for this one.
            return;
        }
        let _occupation = Occupation::begin();
        self.placement.keep_apart();
        loop {
            let n_works = self.n_works();
            let work = lock(&self.work).clone();
            if let Some(work) = work {
                work.help(thread, self, n_works);
            }
            if self.n_works() == n_works {
                break;
            }
        }
    }

    /// The front sleeps for a moment, unless something has come.
    pub(super) fn sleep(&self, nap: core::time::Duration, mut has_come: impl FnMut() -> bool) {
        // SeqCst: who completes an event after this most probably sees it; if not, the nap is over soon.
        self.is_front_asleep.store(true, Ordering::SeqCst);
        if !has_come() {
            thread::park_timeout(nap);
        }
        self.is_front_asleep.store(false, Ordering::Relaxed);
    }

    /// Wakes the front, if it sleeps.
    #[inline]
    pub(super) fn wake(&self) {
        if self.is_front_asleep.load(Ordering::Relaxed) {
            self.unpark();
        }
    }

    #[cold]
    fn unpark(&self) {
        if let Some(front) = &*lock(&self.front) {
            front.unpark();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Crew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Crew({:b})", self.helpers.load(Ordering::Relaxed))
    }
}
