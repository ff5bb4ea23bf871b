//! The threads that help a stream.
//!
//! They come when they are asked for, help with whatever the stream processes its events by at the moment, and leave when
//! there has been nothing to do for a while. Nothing waits for one that is late.
//!
//! A helper that leaves says so, and looks for a moment more. The dispatcher looks who is there after it has put something there. So
//! either the helper sees that, or the dispatcher sees that the helper has left, and asks again, before it begins a handler that
//! may take long. A thread that is asked in the middle of another job does not help: it invites all others if there is work, and
//! the dispatcher asks again after its turn.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use rayon::ThreadPool;

use super::dispatch::DISPATCHER;
use schedule::internal::{Help, Occupation, Placement, Role, call_for_help, idle};

/// What there is to help with.
pub(super) trait Work: Send + Sync {
    /// Processes events as the `thread`th thread, until there have been none for a while, or there is other work than this, the
    /// `n_works`th.
    fn help(&self, thread: usize, helpers: &Arc<Helpers>, n_works: u32);

    /// Whether there is something to do, as far as this thread sees.
    fn has_some(&self) -> bool;
}

/// Who helps. Bits, as in [`Helpers`].
#[derive(Clone, Copy, Debug)]
pub(super) struct HelperSet(u64);

impl HelperSet {
    /// Whether there are as many as there may be.
    #[inline(always)]
    fn are_all(self, most: u32) -> bool {
        let all = 1_u64.checked_shl(most).unwrap_or(0).wrapping_sub(1);
        self.0 == all || self.0.count_ones() >= most
    }
}

/// For so long a helper looks after it has said that it leaves. What the dispatcher has put there may not be written yet when the dispatcher
/// looks who is there: that takes some hundred nanoseconds, and a fence would have the dispatcher wait for it each time.
const MOMENT: Duration = Duration::from_micros(1);

/// See the module.
pub(super) struct Helpers {
    /// Bits: the numbers of those that are there, from 0 on. Of two at once, none is the same.
    present: AtomicU64,
    /// Bits: the numbers whose last thread withdrew, since it was in the middle of another job.
    refusals: AtomicU64,
    /// So many may help, as the dispatcher said last.
    most: AtomicU32,
    is_dispatcher_asleep: AtomicBool,
    dispatcher: Mutex<Option<Thread>>,
    placement: Placement,
    work: Mutex<Option<Arc<dyn Work>>>,
    /// How often that was changed.
    n_works: AtomicU32,
}

impl Helpers {
    pub(super) fn new() -> Self {
        Self {
            present: AtomicU64::new(0),
            refusals: AtomicU64::new(0),
            most: AtomicU32::new(0),
            is_dispatcher_asleep: AtomicBool::new(false),
            dispatcher: Mutex::new(None),
            placement: Placement::new(),
            work: Mutex::new(None),
            n_works: AtomicU32::new(0),
        }
    }

    /// This thread is the dispatcher, and that is the work. Who helped with other work helps with this.
    pub(super) fn set_work(&self, work: &Arc<impl Work + 'static>) {
        *lock(&self.dispatcher) = Some(thread::current());
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

    /// Asks for a helper, if there may be one more. Who helps, and who was asked.
    #[inline]
    pub(super) fn ask(self: &Arc<Self>, most: u32, pool: Option<&ThreadPool>) -> HelperSet {
        let helper_set = self.helper_set();
        match helper_set.are_all(most) {
            true => helper_set,
            false => self.call(helper_set, most, pool),
        }
    }

    /// The same for a helper, which has found more than it can do itself: the dispatcher may be in a handler. Asks in the pool of
    /// this thread.
    #[inline]
    pub(super) fn ask_for_another(self: &Arc<Self>) {
        let helper_set = self.helper_set();
        // Relaxed: a number.
        if !helper_set.are_all(self.most.load(Ordering::Relaxed)) {
            self.send_for(helper_set, Role::Helper, None);
        }
    }

    #[inline(always)]
    pub(super) fn helper_set(&self) -> HelperSet {
        if cfg!(miri) {
            // There, what is old is seen for as long as it may be by the letter.
            fence(Ordering::SeqCst);
        }
        // Relaxed: who leaves meanwhile looks again.
        HelperSet(self.present.load(Ordering::Relaxed))
    }

    /// Whether one of these has left that had helped.
    #[inline(always)]
    pub(super) fn has_left(&self, before: HelperSet) -> bool {
        let gone = before.0 & !self.helper_set().0;
        // Relaxed: written before who has refused leaves; whoever misses it asks once more.
        gone != 0 && gone & !self.refusals.load(Ordering::Relaxed) != 0
    }

    #[cold]
    fn call(
        self: &Arc<Self>,
        helper_set: HelperSet,
        most: u32,
        pool: Option<&ThreadPool>,
    ) -> HelperSet {
        // Relaxed: a number.
        self.most.store(most, Ordering::Relaxed);
        self.send_for(helper_set, Role::Caller, pool)
    }

    /// Asks for one more than these. Who helps then, and who was asked.
    #[cold]
    fn send_for(
        self: &Arc<Self>,
        helper_set: HelperSet,
        role: Role,
        pool: Option<&ThreadPool>,
    ) -> HelperSet {
        let nth = helper_set.0.trailing_ones();
        if nth == u64::BITS {
            return helper_set;
        }
        // If somebody has it by now, another one was asked, or has come back.
        if self.take_number(nth) {
            // Relaxed: as in `has_left`.
            self.refusals.fetch_and(!(1 << nth), Ordering::Relaxed);
            let helped = Arc::<Self>::clone(self);
            call_for_help(role, pool, &self.placement, helped, nth);
        }
        HelperSet(helper_set.0 | 1 << nth)
    }

    /// Takes a number for a helper, unless another one has it. Whether it did.
    fn take_number(&self, nth: u32) -> bool {
        // Acquire: pairs with the Release in `leave`: who gets the number sees what was done by it.
        self.present.fetch_or(1 << nth, Ordering::Acquire) & 1 << nth == 0
    }

    /// Gives a number back.
    fn leave(&self, nth: u32) {
        // Release: as above.
        self.present.fetch_and(!(1 << nth), Ordering::Release);
        // What comes after this looks later.
        fence(Ordering::SeqCst);
    }

    /// What a helper does that has this number.
    fn take_part(self: &Arc<Self>, nth: u32) {
        let _occupation = Occupation::begin();
        self.placement.keep_apart();
        loop {
            let n_works = self.n_works();
            let work = lock(&self.work).clone();
            if let Some(work) = &work {
                work.help(DISPATCHER + 1 + nth as usize, self, n_works);
            }
            if self.n_works() != n_works {
                continue;
            }
            self.leave(nth);
            let is_needed = || {
                let has_some = work.as_ref().is_some_and(|work| work.has_some());
                has_some || self.n_works() != n_works
            };
            let is_needed = idle(|since| match is_needed() {
                false if since < MOMENT => None,
                is_needed => Some(is_needed),
            });
            // Another one may have been asked for meanwhile.
            if !is_needed || !self.take_number(nth) {
                break;
            }
        }
    }

    /// Whether there is something to do, as far as this thread sees.
    fn has_work(&self) -> bool {
        let work = lock(&self.work).clone();
        work.is_some_and(|work| work.has_some())
    }

    /// The dispatcher sleeps for a moment, unless something has come.
    pub(super) fn sleep(&self, nap: Duration, mut has_come: impl FnMut() -> bool) {
        // SeqCst: who completes an event after this most probably sees it; if not, the nap is over soon.
        self.is_dispatcher_asleep.store(true, Ordering::SeqCst);
        if !has_come() {
            thread::park_timeout(nap);
        }
        self.is_dispatcher_asleep.store(false, Ordering::Relaxed);
    }

    /// Wakes the dispatcher, if it sleeps.
    #[inline]
    pub(super) fn wake(&self) {
        if self.is_dispatcher_asleep.load(Ordering::Relaxed) {
            self.unpark();
        }
    }

    #[cold]
    fn unpark(&self) {
        if let Some(dispatcher) = &*lock(&self.dispatcher) {
            dispatcher.unpark();
        }
    }
}

impl Help for Helpers {
    fn help(self: Arc<Self>, nth: u32) {
        self.take_part(nth);
    }

    fn withdraw(&self, nth: u32) -> bool {
        // Relaxed: as in `has_left`.
        self.refusals.fetch_or(1 << nth, Ordering::Relaxed);
        self.leave(nth);
        self.has_work()
    }

    fn help_if_needed(self: Arc<Self>) {
        let helper_set = self.helper_set();
        let nth = helper_set.0.trailing_ones();
        // Relaxed: a number.
        let may_help = nth < u64::BITS && !helper_set.are_all(self.most.load(Ordering::Relaxed));
        if may_help && self.has_work() && self.take_number(nth) {
            // Relaxed: as in `has_left`.
            self.refusals.fetch_and(!(1 << nth), Ordering::Relaxed);
            self.take_part(nth);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Helpers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Helpers({:b})", self.present.load(Ordering::Relaxed))
    }
}
