//! The threads that help a stream.
//!
//! They come when they are asked for, help with whatever the stream processes its events by at the moment, and leave when
//! there has been nothing to do for a while. Nothing waits for one that is late.
//!
//! Who leaves says so, and looks again a moment later: so of what the front puts there, either it is seen by who leaves, or the
//! front, which looks who is there before it begins a handler, sees that he has left, and asks again.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use rayon::ThreadPool;

use super::dispatch::FRONT;
use crate::executor::help::call_for_help;
use crate::executor::idle::idle;
use crate::executor::occupation::{Occupation, is_occupied};
use crate::executor::placement::Placement;
use crate::executor::role::Role;

/// What there is to help with.
pub(super) trait Work: Send + Sync {
    /// Processes events as the `thread`th thread, until there have been none for a while, or there is other work than this, the
    /// `n_works`th.
    fn help(&self, thread: usize, crew: &Crew, n_works: u32);

    /// Whether there is something to do, as far as this thread sees.
    fn has_some(&self) -> bool;
}

/// Who helped, when the front last looked. Bits, as in [`Crew`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Helpers(u64);

/// What the front has written before it sees that a helper is there, that one sees so long after it has left, at most. A processor
/// writes within some hundred nanoseconds; the front does not wait for that, which would cost more, and each time.
const MOMENT: Duration = Duration::from_micros(1);

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

    /// Asks for a helper, if there may be one more. Who helps.
    #[inline]
    pub(super) fn ask(self: &Arc<Self>, most: u32, pool: Option<&ThreadPool>) -> Helpers {
        let helpers = self.helpers();
        let all = 1_u64.checked_shl(most).unwrap_or(0).wrapping_sub(1);
        if helpers.0 == all || helpers.0.count_ones() >= most {
            return helpers;
        }
        self.call(pool);
        self.helpers()
    }

    #[inline(always)]
    pub(super) fn helpers(&self) -> Helpers {
        // Relaxed: who leaves meanwhile looks again.
        Helpers(self.helpers.load(Ordering::Relaxed))
    }

    /// Whether one of these has left.
    #[inline(always)]
    pub(super) fn has_left(&self, before: Helpers) -> bool {
        before.0 & !self.helpers().0 != 0
    }

    #[cold]
    fn call(self: &Arc<Self>, pool: Option<&ThreadPool>) {
        let nth = self.helpers().0.trailing_ones();
        if nth == u64::BITS || !self.take_number(nth) {
            return;
        }
        let crew = Arc::clone(self);
        call_for_help(Role::Caller, pool, &self.placement, move || crew.help(nth));
    }

    /// Whether nobody had that number, who has it now.
    fn take_number(&self, nth: u32) -> bool {
        // Acquire: pairs with the Release of who leaves: who gets his number sees what he did by it.
        self.helpers.fetch_or(1 << nth, Ordering::Acquire) & 1 << nth == 0
    }

    fn leave(&self, nth: u32) {
        // SeqCst: Release as above; and what comes after this looks later.
        self.helpers.fetch_and(!(1 << nth), Ordering::SeqCst);
    }

    /// What a helper does that has this number.
    fn help(&self, nth: u32) {
        if is_occupied() {
            // In a handler or a system that waits for its pool, or in a stream that waits: that shall not wait for this one.
            return self.leave(nth);
        }
        let _occupation = Occupation::begin();
        self.placement.keep_apart();
        loop {
            let n_works = self.n_works();
            let work = lock(&self.work).clone();
            if let Some(work) = &work {
                work.help(FRONT + 1 + nth as usize, self, n_works);
            }
            if self.n_works() != n_works {
                continue;
            }
            self.leave(nth);
            let is_needed = idle(
                |since| match work.as_ref().is_some_and(|work| work.has_some()) {
                    false if since < MOMENT => None,
                    is_needed => Some(is_needed),
                },
            );
            // Another one may have been asked for meanwhile.
            if !is_needed || !self.take_number(nth) {
                break;
            }
        }
    }

    /// The front sleeps for a moment, unless something has come.
    pub(super) fn sleep(&self, nap: Duration, mut has_come: impl FnMut() -> bool) {
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
