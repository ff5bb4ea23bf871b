//! Many events at once, on the thread that calls and on those of a pool that help it.
//!
//! The thread that calls is the dispatcher: it lets events arrive, tells outcomes in order, and processes events as long as there
//! are enough of them for the others. Helpers come and go, as those of a schedule do; nothing waits for one that is late.
#![expect(
    unsafe_code,
    reason = "says of events that they were handed out to this thread"
)]

mod arrival;
mod shared;

use core::sync::atomic::Ordering;
use core::time::Duration;
use std::sync::Arc;
use std::thread;

use rayon::ThreadPool;

use self::shared::Shared;
use super::dispatch::{DISPATCHER, Dispatch, Held};
use super::event::{Cases, Event};
use super::footprint::FEW;
use super::helpers::{HelperSet, Helpers};
use super::inline::{self, NAP};
use super::mode::ModeSelector;
use super::stores::Stores;
use super::traffic::Traffic;
use schedule::internal::{Around, Instant, LINGER, idle};

/// So many events arrive between two turns of the dispatcher, at most.
const BATCH: u32 = 64;
/// So many events are told, or known to be completed, between two turns of the dispatcher, at most: in two turns as many are told as
/// may arrive.
const MAX_REPORTED: u64 = 2 * BATCH as u64;
/// So many are known to be completed before they are told, at least, if they are: their memory was prefetched. A processor
/// waits for about as many lines at once.
const REPORTED_AHEAD: u64 = 16;
/// The dispatcher handles events for about this long, and looks after the others then.
const TURN: Duration = Duration::from_micros(8);
/// But no more than so many.
const MOST_IN_TURN: u32 = 64;

/// So many slots are enough for one thread.
const FEW_SLOTS: usize = 64;

/// So many events may be in flight. Few under Miri, so that slots are used again; and where one thread alone handles each as it
/// arrives, so that they stay in its nearest cache.
fn n_slots<O: Dispatch>(n_threads: usize) -> usize {
    match n_threads {
        _ if cfg!(miri) => 16,
        1 => FEW_SLOTS.min(O::N_SLOTS),
        _ => O::N_SLOTS,
    }
}

/// What the dispatcher needs to know from one call of `process` to the next.
pub(super) struct ParallelState<E: Event, C, O: Dispatch> {
    shared: Arc<Shared<E, C, O>>,
    dispatcher: O::Dispatcher,
    /// How many have arrived here.
    n_come: u64,
    /// For which it was made.
    pub(super) n_threads: usize,
}

impl<E: Event, C: Cases<E>, O: Dispatch> ParallelState<E, C, O> {
    /// For so many threads.
    pub(super) fn new(cases: C, stores: &Stores, n_threads: usize) -> Self {
        let shared = Shared::<E, C, O>::new(cases, stores, n_slots::<O>(n_threads), n_threads);
        Self {
            dispatcher: shared.order.dispatcher(),
            shared: Arc::new(shared),
            n_come: 0,
            n_threads,
        }
    }
}

/// One stretch of a call of `process` in which several threads process events.
pub(super) struct ParallelStretch<'s, 't, E: Event, C: Cases<E>, O: Dispatch> {
    passages: &'s mut ParallelState<E, C, O>,
    traffic: &'s mut Traffic<'t, E>,
    stores: &'s mut Stores,
    how: StretchSettings<'s>,
    /// How many of those that have come have gone.
    n_gone: u64,
    /// The same, and those behind them that are known to be completed: their memory was prefetched.
    n_done: u64,
    /// How many have their slot and have named what they touch: those that have not arrived wait for room, or for the memory
    /// of what they named.
    n_named: u64,
    /// How much was named by those that are in flight, but for those that named little.
    n_entries: usize,
    /// The last of them has to be the only one in flight, and nothing is named before it is over.
    is_last_exclusive: bool,
    /// Why no more arrived, when that was looked at.
    lack: NoArrival,
    /// How many events this thread handles in a turn, at once and as many again of those that waited; and when the last turn
    /// ended, if it was full.
    n_in_turn: u32,
    end_of_turn: Option<Instant>,
    /// Handled in this turn, as they arrived.
    n_at_once: u32,
    /// Whether it told of any before this turn.
    has_reported: bool,
    /// Who helped when one more was last asked for, and who was asked.
    helper_set: HelperSet,
}

/// Why no event arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoArrival {
    /// Those that are in flight have to go before.
    Rest,
    NotYet,
    Over,
}

/// What was settled before.
#[derive(Clone, Copy, Debug)]
pub(super) struct StretchSettings<'s> {
    pub(super) helpers: &'s Arc<Helpers>,
    pub(super) pool: Option<&'s ThreadPool>,
    pub(super) max_helpers: u32,
    /// Whether a failure stops the stream.
    pub(super) stops: bool,
    /// Whose events these are, if they have producers; else 0.
    pub(super) arrivals: u64,
    /// Whether it goes on so whatever it takes.
    pub(super) is_forced: bool,
    /// So many events may be in flight, at most.
    pub(super) most: u64,
}

impl<'s, 't, E, C, O> ParallelStretch<'s, 't, E, C, O>
where
    E: Event,
    C: Cases<E>,
    O: Dispatch,
{
    /// # Safety
    ///
    /// The stores were found in resources that are borrowed exclusively, until this is dropped.
    pub(super) unsafe fn new(
        passages: &'s mut ParallelState<E, C, O>,
        traffic: &'s mut Traffic<'t, E>,
        stores: &'s mut Stores,
        how: StretchSettings<'s>,
    ) -> Self {
        let shared = &passages.shared;
        how.helpers.set_work(shared);
        // Relaxed: events are handed out after this.
        shared.arrivals.store(how.arrivals, Ordering::Relaxed);
        shared.stops.store(how.stops, Ordering::Relaxed);
        shared
            .is_stopped
            .store(traffic.is_stopped, Ordering::Relaxed);
        Self {
            n_gone: passages.n_come,
            n_done: passages.n_come,
            n_named: passages.n_come,
            n_entries: 0,
            is_last_exclusive: false,
            passages,
            traffic,
            stores,
            how,
            lack: NoArrival::Rest,
            n_in_turn: 1,
            end_of_turn: None,
            n_at_once: 0,
            has_reported: false,
            helper_set: how.helpers.helper_set(),
        }
    }

    /// Lets events arrive as long as `selector` says so, and processes all of them. Whether there are more.
    pub(super) fn run(mut self, selector: &mut ModeSelector) -> bool {
        selector.begin();
        loop {
            let n_reported = self.report();
            self.has_reported = n_reported > 0;
            let ParallelState {
                shared, dispatcher, ..
            } = &mut *self.passages;
            let goes_on =
                self.how.is_forced || selector.goes_on(n_reported, || shared.n_processed());
            let wanted = shared.order.wanted(dispatcher, self.n_in_turn);
            let mut n_new = 0;
            // Who waits for room has arrived already.
            if (goes_on || self.has_named()) && wanted > 0 {
                n_new = self.let_arrive(goes_on, wanted);
            }
            let has_come = n_reported + n_new > 0 || self.n_done > self.n_gone;
            // Before this thread runs a handler, which may take long.
            if n_new > 1 || self.passages.shared.order.has_some() {
                self.helper_set = self.ask();
            }
            // What there was enough of, others have taken meanwhile.
            if self.take_turn() || has_come || wanted == 0 {
                continue;
            }
            if self.n_in_flight() > 0 {
                self.wait();
                continue;
            }
            if self.has_named() || goes_on && self.lack == NoArrival::Rest {
                continue;
            }
            selector.rest(self.passages.shared.n_processed());
            if goes_on && self.lack == NoArrival::NotYet {
                inline::wait(|| self.traffic.has_more());
                continue;
            }
            // If it goes on, the input is over, and nothing can follow from what is over.
            return !goes_on;
        }
    }

    fn n_in_flight(&self) -> u64 {
        self.passages.n_come - self.n_gone
    }

    /// Whether some have named what they touch, and have not arrived.
    fn has_named(&self) -> bool {
        self.n_named > self.passages.n_come
    }

    /// Tells the outcomes of those that are known to be completed, and looks for more, as far as none before them is not. How
    /// many it told of.
    fn report(&mut self) -> usize {
        let first = self.n_gone;
        if self.n_in_turn == 1 {
            // What is told after the next turn may be told late.
            self.find_done(REPORTED_AHEAD);
        }
        // Their memory has come meanwhile.
        let end = self.n_done.min(first + MAX_REPORTED);
        while self.n_gone < end {
            if (self.n_gone - first).is_multiple_of(REPORTED_AHEAD / 2) {
                // More than are told until then, since more may have been completed in this turn than in the last one.
                let room = (first + MAX_REPORTED).saturating_sub(self.n_done);
                self.find_done(REPORTED_AHEAD.min(room));
            }
            let ParallelState {
                shared, dispatcher, ..
            } = &mut *self.passages;
            let slot = shared.ring.slot_of(self.n_gone);
            // SAFETY: it is completed, and has not gone.
            let passage = unsafe { shared.ring.slot(slot) };
            shared.order.release(dispatcher, slot);
            self.n_gone += 1;
            let n_entries = passage.footprint.most_in_order();
            if n_entries > FEW {
                self.n_entries -= n_entries;
                passage.footprint.forget();
            }
            passage.around = Around::NOTHING;
            let result = passage.result.take();
            let result = result.expect("a completed event has a result");
            let (position, case) = (passage.position, passage.footprint.case);
            self.traffic
                .report(position, &mut passage.event, case, result);
        }
        if end > first {
            let shared = &self.passages.shared;
            shared.order.set_oldest(shared.ring.slot_of(end));
        }
        self.find_done((self.n_gone + REPORTED_AHEAD).saturating_sub(self.n_done));
        (end - first) as usize
    }

    /// Looks whether more are completed behind those of which that is known, so many at most, and asks for their memory.
    #[inline]
    fn find_done(&mut self, most: u64) {
        let ParallelState {
            shared,
            dispatcher,
            n_come,
            ..
        } = &mut *self.passages;
        let end = (*n_come).min(self.n_done + most);
        while self.n_done < end {
            let slot = shared.ring.slot_of(self.n_done);
            if !shared.order.is_done(dispatcher, slot) {
                break;
            }
            // Most probably another thread has written there; this one will, when the slot is used again.
            shared.order.prefetch(slot);
            shared.ring.prefetch_event(slot);
            self.n_done += 1;
        }
    }

    /// Processes events for a while; all that there are, if nobody else would take them. Whether there were any.
    fn take_turn(&mut self) -> bool {
        let most = match self.how.max_helpers {
            0 => u32::MAX,
            _ => self.n_in_turn,
        };
        // If the oldest event is not over yet, nobody may be at it.
        let is_idle = self.n_at_once == 0 || !self.has_reported;
        let (mut n, mut next) = (0, None);
        while n < most
            && let Some(held) = next.or_else(|| self.take(is_idle))
        {
            // Others may take what comes after the last one.
            n += 1;
            // SAFETY: it was handed out to this thread, and the resources are borrowed.
            let freed = unsafe { self.passages.shared.run(DISPATCHER, held, n < most) };
            if freed.has_more {
                self.helper_set = self.ask();
            }
            next = freed.next;
        }
        let n_at_once = core::mem::take(&mut self.n_at_once);
        self.end_turn(n + n_at_once);
        n > 0
    }

    /// One of the events that may be taken.
    #[inline(always)]
    fn take(&mut self, is_idle: bool) -> Option<Held> {
        let held = self.passages.shared.order.take(DISPATCHER, is_idle)?;
        // It may have come from others, with some that were not to be seen meanwhile.
        self.ask_for_who_left();
        Some(held)
    }

    /// This thread has processed so many events in its turn.
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

    /// Asks if a helper has left since, and there is something for another: before something runs here, which may take long.
    #[inline(always)]
    fn ask_for_who_left(&mut self) {
        if self.how.helpers.has_left(self.helper_set) && self.passages.shared.order.has_some() {
            self.helper_set = self.ask();
        }
    }

    /// Asks for a helper, if there may be one more. Who helps then, and who was asked.
    fn ask(&self) -> HelperSet {
        let StretchSettings {
            helpers,
            max_helpers,
            pool,
            ..
        } = self.how;
        let most = max_helpers.min(self.passages.shared.order.most_others());
        helpers.ask(most, pool)
    }

    /// Waits until the oldest event is completed, or another may be taken, or may arrive.
    fn wait(&mut self) {
        let ParallelState {
            shared, dispatcher, ..
        } = &mut *self.passages;
        let oldest = shared.ring.slot_of(self.n_gone);
        let (helpers, lack, traffic) = (self.how.helpers, self.lack, &*self.traffic);
        let mut has_come = || {
            shared.order.is_done(dispatcher, oldest)
                || shared.order.has_some()
                || lack == NoArrival::NotYet && traffic.has_more()
        };
        idle(|since| {
            if has_come() {
                return Some(());
            }
            if since > LINGER {
                helpers.sleep(NAP, &mut has_come);
            }
            None
        });
    }
}

impl<E: Event, C: Cases<E>, O: Dispatch> Drop for ParallelStretch<'_, '_, E, C, O> {
    /// If the input or the outcome callback panics: what is in flight is completed, as others may be at it, and
    /// forgotten.
    fn drop(&mut self) {
        let ParallelState {
            shared,
            dispatcher,
            n_come,
            ..
        } = &mut *self.passages;
        shared.order.publish(dispatcher);
        for nth in *n_come..self.n_named {
            let slot = shared.ring.slot_of(nth);
            // SAFETY: the last event has gone, and this one has not arrived.
            unsafe { shared.ring.slot(slot) }.forget();
        }
        if *n_come > self.n_gone {
            shared.is_stopped.store(true, Ordering::Relaxed);
        }
        while *n_come > self.n_gone {
            let slot = shared.ring.slot_of(self.n_gone);
            if shared.order.is_done(dispatcher, slot) {
                // SAFETY: it is completed, and has not gone.
                unsafe { shared.ring.slot(slot) }.forget();
                shared.order.release(dispatcher, slot);
                self.n_gone += 1;
                continue;
            }
            match shared.order.take(DISPATCHER, true) {
                Some(held) => {
                    // SAFETY: it was handed out to this thread, and the resources are still borrowed.
                    unsafe { shared.run(DISPATCHER, held, false) };
                }
                None => thread::yield_now(),
            }
        }
        shared.order.set_oldest(shared.ring.slot_of(self.n_gone));
        // Relaxed: as in `new`.
        self.traffic.is_stopped |= shared.is_stopped.load(Ordering::Relaxed);
    }
}
