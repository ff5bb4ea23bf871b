//! The helper threads of a stream.
//!
//! The dispatcher requests them. They process events of the current work of the stream, and leave after a while without
//! work. Nothing waits for a helper that is late.
//!
//! A helper that leaves first clears its bit and then looks for work once more, for a short time. The dispatcher reads
//! the bits after it has added work. So either the helper sees the work, or the dispatcher sees that the helper has
//! left and requests another one before it starts a handler that may take long.
//!
//! A thread that is requested in the middle of another job does not help. If there is work, it invites all other
//! threads, and the dispatcher makes another request after its turn.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
use core::time::Duration;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use rayon::ThreadPool;

use crate::engine::dispatch::DISPATCHER;
use schedule::internal::{Help, Occupation, Placement, Role, call_for_help, idle};

/// Work that helpers can take part in.
pub(crate) trait Work: Send + Sync {
    /// Processes events as thread `thread`, until there was no event for a while, or the work was replaced. `n_works`
    /// is the number of the current work.
    fn help(&self, thread: usize, helpers: &Arc<Helpers>, n_works: u32);

    /// Returns whether this thread sees an event that can be taken.
    fn has_some(&self) -> bool;
}

/// A set of helpers: the bits of `Helpers::present`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HelperSet(u64);

impl HelperSet {
    /// Returns whether the set has the maximum number of helpers.
    #[inline(always)]
    fn are_all(self, most: u32) -> bool {
        let all = 1_u64.checked_shl(most).unwrap_or(0).wrapping_sub(1);
        self.0 == all || self.0.count_ones() >= most
    }
}

/// How long a helper looks for work after it has announced that it leaves. The stores of the dispatcher may become
/// visible a few hundred nanoseconds after it has read the bits. A fence would make the dispatcher wait for each event.
const MOMENT: Duration = Duration::from_micros(1);

/// See the module.
pub(crate) struct Helpers {
    /// Bits of the helpers that are present, numbered from 0. Each helper has a different number.
    present: AtomicU64,
    /// Bits of the numbers whose last thread withdrew because it was in the middle of another job.
    refusals: AtomicU64,
    /// The maximum number of helpers, as last set by the dispatcher.
    most: AtomicU32,
    is_dispatcher_asleep: AtomicBool,
    dispatcher: Mutex<Option<Thread>>,
    placement: Placement,
    work: Mutex<Option<Arc<dyn Work>>>,
    /// Number of changes of `work`.
    n_works: AtomicU32,
}

impl Helpers {
    pub(crate) fn new() -> Self {
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

    /// Sets the calling thread as the dispatcher, and `work` as the current work. Present helpers switch to it.
    pub(crate) fn set_work(&self, work: &Arc<impl Work + 'static>) {
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

    /// Returns the number of the current work. Call it before looking for events.
    #[inline]
    pub(crate) fn n_works(&self) -> u32 {
        // Relaxed: as in `set_work`.
        self.n_works.load(Ordering::Relaxed)
    }

    /// Requests a helper, if the maximum is not reached. Returns the helpers that are present or requested.
    #[inline]
    pub(crate) fn ask(self: &Arc<Self>, most: u32, pool: Option<&ThreadPool>) -> HelperSet {
        let helper_set = self.helper_set();
        if helper_set.are_all(most) {
            helper_set
        } else {
            self.call(helper_set, most, pool)
        }
    }

    /// Requests another helper, from the pool of the calling helper, which has found more work than it can do itself.
    /// The dispatcher may be in a handler meanwhile.
    #[inline]
    pub(crate) fn ask_for_another(self: &Arc<Self>) {
        let helper_set = self.helper_set();
        // Relaxed: only the number itself matters.
        if !helper_set.are_all(self.most.load(Ordering::Relaxed)) {
            self.send_for(helper_set, Role::Helper, None);
        }
    }

    #[inline(always)]
    pub(crate) fn helper_set(&self) -> HelperSet {
        if cfg!(miri) {
            // Miri returns stale values for as long as the memory model allows.
            fence(Ordering::SeqCst);
        }
        // Relaxed: a helper that leaves meanwhile looks for work again.
        HelperSet(self.present.load(Ordering::Relaxed))
    }

    /// Returns whether one of these helpers has left after it helped.
    #[inline(always)]
    pub(crate) fn has_left(&self, before: HelperSet) -> bool {
        let gone = before.0 & !self.helper_set().0;
        // Relaxed: a thread that withdraws sets its bit before it leaves. If the bit is not visible yet, the dispatcher
        // only makes one more request.
        gone != 0 && gone & !self.refusals.load(Ordering::Relaxed) != 0
    }

    #[cold]
    fn call(
        self: &Arc<Self>,
        helper_set: HelperSet,
        most: u32,
        pool: Option<&ThreadPool>,
    ) -> HelperSet {
        // Relaxed: only the number itself matters.
        self.most.store(most, Ordering::Relaxed);
        self.send_for(helper_set, Role::Caller, pool)
    }

    /// Requests one helper more than these. Returns the helpers that are then present or requested.
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
        // If the number is taken by now, another helper was requested or has come back.
        if self.take_number(nth) {
            // Relaxed: as in `has_left`.
            self.refusals.fetch_and(!(1 << nth), Ordering::Relaxed);
            let helped = Arc::<Self>::clone(self);
            call_for_help(role, pool, &self.placement, helped, nth);
        }
        HelperSet(helper_set.0 | 1 << nth)
    }

    /// Takes a number for a helper, unless another helper has it. Returns whether it did.
    fn take_number(&self, nth: u32) -> bool {
        // Acquire: pairs with the Release in `leave`, so the new owner of the number sees all accesses of the previous
        // one.
        self.present.fetch_or(1 << nth, Ordering::Acquire) & 1 << nth == 0
    }

    /// Returns a number.
    fn leave(&self, nth: u32) {
        // Release: pairs with the Acquire in `take_number`.
        self.present.fetch_and(!(1 << nth), Ordering::Release);
        // Later looks for work must not move before the store.
        fence(Ordering::SeqCst);
    }

    /// Helps as the helper with this number.
    fn take_part(self: &Arc<Self>, nth: u32) {
        let _occupation = Occupation::begin();
        self.placement.leave_caller_processor();
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
            let is_needed = idle(|since| {
                let is_needed = is_needed();
                (is_needed || since >= MOMENT).then_some(is_needed)
            });
            // The number may have been given to another helper meanwhile.
            if !is_needed || !self.take_number(nth) {
                break;
            }
        }
    }

    /// Returns whether this thread sees an event that can be taken.
    fn has_work(&self) -> bool {
        let work = lock(&self.work).clone();
        work.is_some_and(|work| work.has_some())
    }

    /// Sleeps for at most `nap`, unless `has_come` returns true. Only the dispatcher calls it.
    pub(crate) fn sleep(&self, nap: Duration, mut has_come: impl FnMut() -> bool) {
        // SeqCst: a thread that completes an event after this usually sees the store. Otherwise the dispatcher wakes
        // after `nap`.
        self.is_dispatcher_asleep.store(true, Ordering::SeqCst);
        if !has_come() {
            thread::park_timeout(nap);
        }
        self.is_dispatcher_asleep.store(false, Ordering::Relaxed);
    }

    /// Wakes the dispatcher, if it sleeps.
    #[inline]
    pub(crate) fn wake(&self) {
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
        // Relaxed: only the number itself matters.
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
