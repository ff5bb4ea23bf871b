//! Parallel processing: the calling thread and helpers from its pool process events.
//!
//! The calling thread is the dispatcher: it lets events arrive, reports outcomes in order, and processes events while
//! the helpers have enough of them. Helpers come and go, as those of a schedule do. Nothing waits for a helper that is
//! late.
#![expect(unsafe_code, reason = "accesses slots whose events this thread holds")]

mod arrival;
mod shared;

use core::sync::atomic::Ordering;
use core::time::Duration;
use std::sync::Arc;
use std::thread;

use rayon::ThreadPool;

use self::shared::Shared;
use crate::base::footprint::FEW;
use crate::engine::dispatch::{DISPATCHER, Dispatch, Held};
use crate::engine::helpers::{HelperSet, Helpers};
use crate::engine::inline::{self, NAP};
use crate::engine::mode::ModeSelector;
use crate::engine::traffic::Traffic;
use crate::program::event::{Cases, Event};
use crate::store::stores::Stores;
use schedule::internal::{Instant, PARK_AFTER, ParentSpan, idle};

/// Maximum number of arrivals between two turns of the dispatcher.
const BATCH: u32 = 64;
/// Maximum number of events that are reported, or found to be completed, between two turns of the dispatcher. In two
/// turns as many are reported as may arrive.
const MAX_REPORTED: u64 = 2 * BATCH as u64;
/// The number of completed events that are found, and prefetched, ahead of their reports. A processor supports about as
/// many outstanding cache misses.
const REPORTED_AHEAD: u64 = 16;
/// The approximate time for which the dispatcher handles events before it does its other work.
const TURN: Duration = Duration::from_micros(8);
/// Maximum number of events in a turn.
const MOST_IN_TURN: u32 = 64;

/// The number of slots for one thread.
const FEW_SLOTS: usize = 64;

/// Returns the maximum number of events in flight. Few under Miri, so that slots are reused. Few for one thread, which
/// handles each event when it arrives, so that slots stay in its nearest cache.
fn n_slots<O: Dispatch>(n_threads: usize) -> usize {
    match n_threads {
        _ if cfg!(miri) => 16,
        1 => FEW_SLOTS.min(O::N_SLOTS),
        _ => O::N_SLOTS,
    }
}

/// The state of parallel processing that is kept between calls of `process`.
pub(crate) struct ParallelState<E: Event, C, O: Dispatch> {
    shared: Arc<Shared<E, C, O>>,
    dispatcher: O::Dispatcher,
    /// Number of events that have arrived.
    n_come: u64,
    /// The number of threads for which the state was created.
    pub(crate) n_threads: usize,
}

impl<E: Event, C: Cases<E>, O: Dispatch> ParallelState<E, C, O> {
    /// Creates the state for this number of threads.
    pub(crate) fn new(cases: C, stores: &Stores, n_threads: usize) -> Self {
        let shared = Shared::<E, C, O>::new(cases, stores, n_slots::<O>(n_threads), n_threads);
        Self {
            dispatcher: shared.order.dispatcher(),
            shared: Arc::new(shared),
            n_come: 0,
            n_threads,
        }
    }
}

/// A stretch of a call of `process` in which several threads process events.
pub(crate) struct ParallelStretch<'s, 't, E: Event, C: Cases<E>, O: Dispatch> {
    state: &'s mut ParallelState<E, C, O>,
    traffic: &'s mut Traffic<'t, E>,
    stores: &'s mut Stores,
    how: StretchSettings<'s>,
    /// Number of events that are reported.
    n_gone: u64,
    /// Number of events that are reported, or known to be completed and prefetched.
    n_done: u64,
    /// Number of events that have a slot and a footprint. Those that have not arrived wait for room, or for their
    /// prefetches.
    n_named: u64,
    /// Number of footprint entries of events in flight, except those with few entries.
    n_entries: usize,
    /// Whether the last event that was named is exclusive. No event is named before it has ended.
    is_last_exclusive: bool,
    /// The reason why no more events arrived at the last attempt.
    no_arrival: NoArrival,
    /// The number of events in a turn, of those handled at arrival and of those taken; and the end of the last turn, if
    /// it was full.
    n_in_turn: u32,
    end_of_turn: Option<Instant>,
    /// Number of events that were handled at arrival in this turn.
    n_at_once: u32,
    /// Whether outcomes were reported just before this turn.
    has_reported: bool,
    /// The helpers that were present or requested at the last request.
    helper_set: HelperSet,
}

/// The reason why no event arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoArrival {
    /// The events in flight must end first.
    Rest,
    NotYet,
    Over,
}

/// The settings of a stretch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StretchSettings<'s> {
    pub(crate) helpers: &'s Arc<Helpers>,
    pub(crate) pool: Option<&'s ThreadPool>,
    pub(crate) max_helpers: u32,
    /// Whether a failure stops the stream.
    pub(crate) stops: bool,
    /// The id of the channel of the events; 0 without producers.
    pub(crate) arrivals: u64,
    /// Whether a test, a benchmark or `check_deterministic` has set the structure, so that measurements do not end the stretch.
    pub(crate) is_forced: bool,
    /// Maximum number of events in flight.
    pub(crate) most: u64,
}

impl<'s, 't, E, C, O> ParallelStretch<'s, 't, E, C, O>
where
    E: Event,
    C: Cases<E>,
    O: Dispatch,
{
    /// # Safety
    ///
    /// The stores were found in resources that are borrowed exclusively until the stretch is dropped.
    pub(crate) unsafe fn new(
        state: &'s mut ParallelState<E, C, O>,
        traffic: &'s mut Traffic<'t, E>,
        stores: &'s mut Stores,
        how: StretchSettings<'s>,
    ) -> Self {
        let shared = &state.shared;
        how.helpers.set_work(shared);
        // Relaxed: the hand-out of an event releases these stores to the thread that gets it.
        shared.arrivals.store(how.arrivals, Ordering::Relaxed);
        shared.stops.store(how.stops, Ordering::Relaxed);
        shared
            .is_stopped
            .store(traffic.is_stopped(), Ordering::Relaxed);
        Self {
            n_gone: state.n_come,
            n_done: state.n_come,
            n_named: state.n_come,
            n_entries: 0,
            is_last_exclusive: false,
            state,
            traffic,
            stores,
            how,
            no_arrival: NoArrival::Rest,
            n_in_turn: 1,
            end_of_turn: None,
            n_at_once: 0,
            has_reported: false,
            helper_set: how.helpers.helper_set(),
        }
    }

    /// Lets events arrive as long as `selector` continues the stretch, and processes all of them. Returns whether there
    /// are more.
    pub(crate) fn run(mut self, selector: &mut ModeSelector) -> bool {
        selector.begin();
        loop {
            let n_reported = self.report();
            self.has_reported = n_reported > 0;
            let ParallelState {
                shared, dispatcher, ..
            } = &mut *self.state;
            let goes_on =
                self.how.is_forced || selector.goes_on(n_reported, || shared.n_processed());
            let wanted = shared.order.wanted(dispatcher, self.n_in_turn);
            let mut n_new = 0;
            // Events that wait for room must arrive in any case.
            if (goes_on || self.has_named()) && wanted > 0 {
                n_new = self.let_arrive(goes_on, wanted);
            }
            let has_come = n_reported + n_new > 0 || self.n_done > self.n_gone;
            // Request a helper before this thread runs a handler that may take long.
            if n_new > 1 || self.state.shared.order.has_some() {
                self.helper_set = self.ask();
            }
            // With `wanted` 0 there were enough events, but helpers may have taken them meanwhile.
            if self.take_turn() || has_come || wanted == 0 {
                continue;
            }
            if self.n_in_flight() > 0 {
                self.wait();
                continue;
            }
            if self.has_named() || goes_on && self.no_arrival == NoArrival::Rest {
                continue;
            }
            selector.rest(self.state.shared.n_processed());
            if goes_on && self.no_arrival == NoArrival::NotYet {
                inline::wait(|| self.traffic.has_more());
                continue;
            }
            // If it continues, the input is over, and no event is left that could cause follow-up events.
            return !goes_on;
        }
    }

    fn n_in_flight(&self) -> u64 {
        self.state.n_come - self.n_gone
    }

    /// Returns whether named events wait for their arrival.
    fn has_named(&self) -> bool {
        self.n_named > self.state.n_come
    }

    /// Reports the oldest events that are known to be completed, and looks for more. Returns the number of reports.
    fn report(&mut self) -> usize {
        let first = self.n_gone;
        if self.n_in_turn == 1 {
            // Turns are long: a report after the next turn could be late.
            self.find_done(REPORTED_AHEAD);
        }
        // Their prefetches have completed meanwhile.
        let end = self.n_done.min(first + MAX_REPORTED);
        while self.n_gone < end {
            if (self.n_gone - first).is_multiple_of(REPORTED_AHEAD / 2) {
                // Look for more events than are reported until then: more may have been completed in this turn than in
                // the last one.
                let room = (first + MAX_REPORTED).saturating_sub(self.n_done);
                self.find_done(REPORTED_AHEAD.min(room));
            }
            let ParallelState {
                shared, dispatcher, ..
            } = &mut *self.state;
            let slot = shared.ring.slot_of(self.n_gone);
            // SAFETY: the event is completed, so its holder no longer accesses the slot. It is not released, so no new
            // event is in it.
            let in_flight = unsafe { shared.ring.slot(slot) };
            shared.order.release(dispatcher, slot);
            self.n_gone += 1;
            let n_entries = in_flight.footprint.most_in_order();
            if n_entries > FEW {
                self.n_entries -= n_entries;
                in_flight.footprint.forget();
            }
            in_flight.parent_span = ParentSpan::NOTHING;
            let result = in_flight.result.take();
            let result = result.expect("a completed event has a result");
            let case = in_flight.footprint.case;
            if in_flight.footprint.is_apart
                && let Some(duration) = shared.duration(slot)
            {
                let (observer, position) = (&mut *self.traffic.observer, in_flight.info.position);
                observer.note_handler::<E>(case, position, duration);
            }
            self.traffic.report(&mut in_flight.event, case, result);
        }
        if end > first {
            let shared = &self.state.shared;
            shared.order.set_oldest(shared.ring.slot_of(end));
        }
        self.find_done((self.n_gone + REPORTED_AHEAD).saturating_sub(self.n_done));
        (end - first) as usize
    }

    /// Looks for up to `most` more completed events in order, and prefetches them.
    #[inline]
    fn find_done(&mut self, most: u64) {
        let ParallelState {
            shared,
            dispatcher,
            n_come,
            ..
        } = &mut *self.state;
        let end = (*n_come).min(self.n_done + most);
        while self.n_done < end {
            let slot = shared.ring.slot_of(self.n_done);
            if !shared.order.is_done(dispatcher, slot) {
                break;
            }
            // Another thread has probably written the slot. This thread will write it when the slot is reused.
            shared.order.prefetch(slot);
            shared.ring.prefetch_event(slot);
            self.n_done += 1;
        }
    }

    /// Processes events for a turn. Without helpers, processes all events. Returns whether there were any.
    fn take_turn(&mut self) -> bool {
        let most = match self.how.max_helpers {
            0 => u32::MAX,
            _ => self.n_in_turn,
        };
        // If the oldest event is not completed, there may be no thread that processes it.
        let is_idle = self.n_at_once == 0 || !self.has_reported;
        let (mut n, mut next) = (0, None);
        while n < most
            && let Some(held) = next.or_else(|| self.take(is_idle))
        {
            // Other threads may take the event after the last one of this turn.
            n += 1;
            // SAFETY: `take` or `complete` has handed out the event to this thread. The call of `process` is still
            // running.
            let freed = unsafe { self.state.shared.run(DISPATCHER, held, n < most) };
            if freed.has_more {
                self.helper_set = self.ask();
            }
            next = freed.next;
        }
        let n_at_once = core::mem::take(&mut self.n_at_once);
        self.end_turn(n + n_at_once);
        n > 0
    }

    /// Takes an event.
    #[inline(always)]
    fn take(&mut self, is_idle: bool) -> Option<Held> {
        let held = self.state.shared.order.take(DISPATCHER, is_idle)?;
        // The event may come from the set of another thread, with more events that were not visible before.
        self.ask_for_who_left();
        Some(held)
    }

    /// Ends a turn of `n` events, and adapts the length of turns.
    fn end_turn(&mut self, n: u32) {
        if n < self.n_in_turn {
            self.end_of_turn = None;
            return;
        }
        let now = Instant::now();
        let took = self.end_of_turn.replace(now).map(|end| now - end);
        if took.is_some_and(|took| took < TURN) {
            self.n_in_turn = (2 * self.n_in_turn).min(MOST_IN_TURN);
        } else if took.is_some_and(|took| took > 2 * TURN) {
            self.n_in_turn = (self.n_in_turn / 2).max(1);
        }
    }

    /// Requests a helper if one has left and there is an event for another one. Called before a handler that may take
    /// long.
    #[inline(always)]
    fn ask_for_who_left(&mut self) {
        if self.how.helpers.has_left(self.helper_set) && self.state.shared.order.has_some() {
            self.helper_set = self.ask();
        }
    }

    /// Requests a helper, if the maximum is not reached. Returns the helpers that are present or requested.
    fn ask(&self) -> HelperSet {
        let StretchSettings {
            helpers,
            max_helpers,
            pool,
            ..
        } = self.how;
        let most = max_helpers.min(self.state.shared.order.most_others());
        helpers.ask(most, pool)
    }

    /// Waits until the oldest event is completed, an event can be taken, or an event may arrive.
    fn wait(&mut self) {
        let ParallelState {
            shared, dispatcher, ..
        } = &mut *self.state;
        let oldest = shared.ring.slot_of(self.n_gone);
        let (helpers, no_arrival, traffic) = (self.how.helpers, self.no_arrival, &*self.traffic);
        let mut has_come = || {
            shared.order.is_done(dispatcher, oldest)
                || shared.order.has_some()
                || no_arrival == NoArrival::NotYet && traffic.has_more()
        };
        idle(|since| {
            if has_come() {
                return Some(());
            }
            if since > PARK_AFTER {
                helpers.sleep(NAP, &mut has_come);
            }
            None
        });
    }
}

impl<E: Event, C: Cases<E>, O: Dispatch> Drop for ParallelStretch<'_, '_, E, C, O> {
    /// Completes the events in flight and drops them without a report, if the input or the outcome callback has
    /// panicked.
    fn drop(&mut self) {
        let ParallelState {
            shared,
            dispatcher,
            n_come,
            ..
        } = &mut *self.state;
        shared.order.publish(dispatcher);
        for nth in *n_come..self.n_named {
            let slot = shared.ring.slot_of(nth);
            // SAFETY: the previous event of the slot is released, and this one has not arrived, so no other thread
            // accesses the slot.
            unsafe { shared.ring.slot(slot) }.forget();
        }
        if *n_come > self.n_gone {
            shared.is_stopped.store(true, Ordering::Relaxed);
        }
        while *n_come > self.n_gone {
            let slot = shared.ring.slot_of(self.n_gone);
            if shared.order.is_done(dispatcher, slot) {
                // SAFETY: the event is completed, so its holder no longer accesses the slot. It is not released, so no
                // new event is in it.
                unsafe { shared.ring.slot(slot) }.forget();
                shared.order.release(dispatcher, slot);
                self.n_gone += 1;
                continue;
            }
            match shared.order.take(DISPATCHER, true) {
                Some(held) => {
                    // SAFETY: `take` has handed out the event to this thread. The call of `process` ends only after
                    // this destructor.
                    unsafe { shared.run(DISPATCHER, held, false) };
                }
                None => thread::yield_now(),
            }
        }
        shared.order.set_oldest(shared.ring.slot_of(self.n_gone));
        // Relaxed: as in `new`.
        if shared.is_stopped.load(Ordering::Relaxed) {
            self.traffic.set_stopped();
        }
    }
}
