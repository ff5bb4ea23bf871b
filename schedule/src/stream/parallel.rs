//! Many events at once, on the thread that calls and on those of a pool that help it.
//!
//! The thread that calls is the front: it lets events arrive, tells outcomes in order, and processes events as long as there
//! are enough of them for the others. Helpers come and go, as those of a schedule do; nothing waits for one that is late.
#![expect(
    unsafe_code,
    reason = "says of events that they were handed out to this thread"
)]

mod shared;

use core::sync::atomic::Ordering;
use core::time::Duration;
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Instant;

use rayon::ThreadPool;

use self::shared::Shared;
use super::claim::Use;
use super::dispatch::Dispatch;
use super::event::{Cases, Event};
use super::inline::{self, NAP};
use super::pace::Pace;
use super::reason::Reason;
use super::stores::Stores;
use super::traffic::{Incoming, Input, Sink, Traffic};
use crate::executor::help::call_for_help;
use crate::executor::idle::{LINGER, idle};
use crate::executor::role::Role;
use crate::span::Around;

/// So many events arrive between two turns of the front, at most.
const BATCH: usize = 32;
/// So many events for each helper are enough to be taken: half of them go over at once.
const AHEAD: u32 = 64;
/// The front handles events for about this long, and looks after the others then.
const TURN: Duration = Duration::from_micros(8);
/// But no more than so many.
const MOST_IN_TURN: u32 = 32;
/// The set of the front.
const FRONT: usize = 0;

/// What the front needs to know from one call of `process` to the next.
pub(super) struct Passages<E: Event, C, O: Dispatch> {
    shared: Arc<Shared<E, C, O>>,
    front: O::Front,
    /// How many have arrived here.
    n_come: u64,
}

impl<E: Event, C: Cases<E>, O: Dispatch> Passages<E, C, O> {
    /// For so many events at once, and so many threads.
    pub(super) fn new(cases: C, stores: &Stores, n_slots: usize, n_threads: usize) -> Self {
        let shared = Shared::<E, C, O>::new(cases, stores, n_slots, n_threads);
        Self {
            front: shared.order.front(),
            shared: Arc::new(shared),
            n_come: 0,
        }
    }
}

/// One stretch of a call of `process` in which several threads process events.
pub(super) struct Stretch<'s, 't, E: Event, C: Cases<E>, O: Dispatch, I, S> {
    passages: &'s mut Passages<E, C, O>,
    traffic: &'s mut Traffic<'t, E, I, S>,
    stores: &'s mut Stores,
    how: How<'s>,
    /// How many of those that have come have gone.
    n_gone: u64,
    /// The next event has its slot, and has to wait until there is room for it.
    is_held: bool,
    /// Why no more arrived, when that was looked at.
    lack: Lack,
    /// Handed out to this thread: what this thread has just made ready, the last first.
    own: Vec<usize>,
    /// And what was ready when it arrived, the oldest first: where nobody helps. Others could not take it while a handler
    /// runs here.
    kept: VecDeque<usize>,
    /// The same, for others to take: bits of a word. Here, so that whoever unwinds finds them.
    arrived: (usize, u64),
    /// How many events this thread handles in a turn, and when the last one ended, if that was full.
    n_in_turn: u32,
    end_of_turn: Option<Instant>,
}

/// Why no event arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lack {
    /// Those that are on their way have to go before.
    Rest,
    NotYet,
    Over,
}

/// What was settled before.
#[derive(Clone, Copy, Debug)]
pub(super) struct How<'s> {
    pub(super) pool: Option<&'s ThreadPool>,
    pub(super) max_helpers: u32,
    /// Whether a failure stops the stream.
    pub(super) stops: bool,
    /// Whose events these are, if they have producers; else 0.
    pub(super) arrivals: u64,
    /// Whether it goes on so whatever it takes.
    pub(super) is_forced: bool,
}

impl<'s, 't, E, C, O, I, S> Stretch<'s, 't, E, C, O, I, S>
where
    E: Event,
    C: Cases<E>,
    O: Dispatch,
    I: Input<E>,
    S: Sink<E>,
{
    /// # Safety
    ///
    /// The stores were found in resources that are borrowed exclusively, until this is dropped.
    pub(super) unsafe fn new(
        passages: &'s mut Passages<E, C, O>,
        traffic: &'s mut Traffic<'t, E, I, S>,
        stores: &'s mut Stores,
        how: How<'s>,
    ) -> Self {
        let shared = &passages.shared;
        let front = Some(thread::current());
        *shared.front.lock().unwrap_or_else(PoisonError::into_inner) = front;
        // Relaxed: events are handed out after this.
        shared.arrivals.store(how.arrivals, Ordering::Relaxed);
        shared.stops.store(how.stops, Ordering::Relaxed);
        shared
            .is_stopped
            .store(traffic.is_stopped, Ordering::Relaxed);
        Self {
            n_gone: passages.n_come,
            passages,
            traffic,
            stores,
            how,
            is_held: false,
            lack: Lack::Rest,
            own: Vec::with_capacity(BATCH),
            kept: VecDeque::with_capacity(BATCH),
            arrived: (0, 0),
            n_in_turn: 1,
            end_of_turn: None,
        }
    }

    /// Lets events arrive as long as `pace` says so, and processes all of them. Whether there are more.
    pub(super) fn run(mut self, pace: &mut Pace) -> bool {
        loop {
            let n_told = self.tell();
            let goes_on = pace.goes_on(n_told) || self.how.is_forced;
            let shared = &self.passages.shared;
            let n_ready = shared.order.n_ready(FRONT);
            let mut n_new = 0;
            let is_enough = n_ready >= AHEAD * self.how.max_helpers.max(1);
            // Who waits for room has arrived already.
            if (goes_on || self.is_held) && !is_enough {
                n_new = self.let_arrive();
            }
            // Before this thread runs a handler, which may take long.
            if n_ready > 0 || n_new > 1 {
                self.ask();
            }
            if self.take_turn() || n_told + n_new > 0 {
                continue;
            }
            if self.n_on_their_way() > 0 {
                self.wait();
                continue;
            }
            if self.is_held || goes_on && self.lack == Lack::Rest {
                continue;
            }
            if goes_on && self.lack == Lack::NotYet {
                pace.rest();
                inline::wait(|| self.traffic.has_more());
                continue;
            }
            pace.rest();
            // If it goes on, the input is over, and nothing can follow from what is over.
            return !goes_on;
        }
    }

    fn n_on_their_way(&self) -> u64 {
        self.passages.n_come - self.n_gone
    }

    fn n_slots(&self) -> usize {
        self.passages.shared.ring.n_slots()
    }

    fn slot_of(&self, nth: u64) -> usize {
        nth as usize & (self.n_slots() - 1)
    }

    /// Tells the outcomes of those that are completed, as far as none before them is not. How many.
    fn tell(&mut self) -> usize {
        let shared = &self.passages.shared;
        let is_done = |nth: &u64| shared.order.is_done(self.slot_of(*nth));
        let done = (self.n_gone..self.passages.n_come).take_while(is_done);
        // Most probably another thread has written there; this one will, when the slot is used again.
        let asked = done.inspect(|nth| {
            shared.order.prefetch(self.slot_of(*nth));
            shared.ring.prefetch_to_write(self.slot_of(*nth));
        });
        let n_done = asked.count();
        for _ in 0..n_done {
            let slot = self.slot_of(self.n_gone);
            let Passages { shared, front, .. } = &mut *self.passages;
            // SAFETY: it is completed, and has not gone.
            let passage = unsafe { shared.ring.slot(slot) };
            let event = passage.event.take().expect("an event that arrived");
            shared.order.release(front, slot);
            self.n_gone += 1;
            passage.around = Around::NOTHING;
            let result = passage.result.take();
            let result = result.expect("an event that was processed");
            self.traffic
                .tell(passage.position, event, passage.claims.case, result);
        }
        if n_done > 0 {
            let oldest = self.slot_of(self.n_gone);
            self.passages.shared.order.set_oldest(oldest);
        }
        n_done
    }

    /// Lets some events arrive. How many.
    fn let_arrive(&mut self) -> usize {
        let mut n_new = 0;
        while n_new < BATCH && self.n_on_their_way() < self.n_slots() as u64 {
            let slot = self.slot_of(self.passages.n_come);
            let is_ready = match self.let_one_arrive(slot) {
                Ok(is_ready) => is_ready,
                Err(lack) => {
                    self.lack = lack;
                    break;
                }
            };
            n_new += 1;
            self.passages.n_come += 1;
            if !is_ready {
                continue;
            }
            if self.how.max_helpers == 0 {
                self.kept.push_back(slot);
                continue;
            }
            if self.arrived.0 != slot / 64 {
                self.put_arrived();
                self.arrived.0 = slot / 64;
            }
            self.arrived.1 |= 1 << (slot % 64);
        }
        self.put_arrived();
        n_new
    }

    /// Lets an event arrive in this slot, if there is one, and room for it. Whether it may be processed now.
    fn let_one_arrive(&mut self, slot: usize) -> Result<bool, Lack> {
        let (is_empty, stops) = (self.n_on_their_way() == 0, self.how.stops);
        let Passages { shared, front, .. } = &mut *self.passages;
        // SAFETY: the last event has gone, and the next has not arrived.
        let passage = unsafe { shared.ring.slot(slot) };
        if !self.is_held {
            if self.traffic.wants_rest() {
                if !is_empty {
                    return Err(Lack::Rest);
                }
                // SAFETY: the resources are borrowed, and no event is on its way.
                unsafe { self.stores.settle() };
                self.traffic.rest();
            }
            passage.position = self.traffic.n_arrived();
            let event = match self.traffic.next(&mut passage.event) {
                Incoming::Event(event) => event,
                Incoming::NotYet => return Err(Lack::NotYet),
                Incoming::Over => return Err(Lack::Over),
            };
            passage.around = self.traffic.around.clone();
            let mut named = inline::name(&shared.cases, self.stores, event, &mut passage.claims);
            if named.is_ok() && shared.is_stopped.load(Ordering::Relaxed) {
                named = Err(Reason::Stopped);
            }
            if stops && matches!(named, Err(Reason::Panicked(_))) {
                shared.is_stopped.store(true, Ordering::Relaxed);
            }
            self.traffic.n_doubts += u32::from(passage.claims.n_doubts);
            passage.result = named.err().map(Err);
        } else if shared.is_stopped.load(Ordering::Relaxed) {
            // That was found out while it was held.
            passage.result = Some(Err(Reason::Stopped));
        }
        self.is_held = false;
        if passage.result.is_some() {
            shared.order.arrive_done(front, slot);
            return Ok(false);
        }
        let n_claims = passage.claims.len();
        let is_alone = passage.claims.is_alone || n_claims > shared.order.most_claims();
        if is_alone && is_empty {
            if passage.claims.is_alone {
                // SAFETY: the resources are borrowed, and no event is on its way.
                unsafe { self.stores.settle_for(usize::from(passage.claims.case)) };
            }
            // SAFETY: no other event is on its way; the stores are borrowed.
            unsafe { shared.handle(passage) };
            if stops && passage.result.as_ref().is_some_and(inline::has_failed) {
                shared.is_stopped.store(true, Ordering::Relaxed);
            }
            shared.order.arrive_done(front, slot);
            return Ok(false);
        }
        if is_alone || !shared.order.has_room(front, n_claims) {
            self.is_held = true;
            return Err(Lack::Rest);
        }
        let claims = passage.claims.iter();
        let ordered = claims.filter(|claim| claim.mark.how != Use::Beside);
        let ordered = ordered.filter_map(|claim| Some((claim.address?, claim.mark.how)));
        Ok(shared.order.arrive(front, slot, ordered))
    }

    /// Processes events for a while; all that there are, if nobody else would take them. Whether there were any.
    fn take_turn(&mut self) -> bool {
        let most = match self.how.max_helpers {
            0 => u32::MAX,
            _ => self.n_in_turn,
        };
        let mut n = 0;
        while n < most && self.process_one() {
            n += 1;
        }
        if n < self.n_in_turn {
            self.end_of_turn = None;
            return n > 0;
        }
        let now = Instant::now();
        let took = self.end_of_turn.replace(now).map(|end| now - end);
        if took.is_some_and(|took| took < TURN) {
            self.n_in_turn = (2 * self.n_in_turn).min(MOST_IN_TURN);
        } else if took.is_some_and(|took| took > 2 * TURN) {
            self.n_in_turn = (self.n_in_turn / 2).max(1);
        }
        true
    }

    /// Processes one event, if there is one to be taken.
    #[inline]
    fn process_one(&mut self) -> bool {
        let shared = &self.passages.shared;
        if self.own.is_empty() && self.kept.is_empty() {
            self.own.extend(shared.order.take(FRONT));
        }
        let Some(slot) = self.own.pop().or_else(|| self.kept.pop_front()) else {
            return false;
        };
        if let Some(next) = self.kept.front() {
            shared.prefetch(*next);
        }
        // SAFETY: it was handed out to this thread, and the resources are borrowed.
        let next = unsafe { shared.run(FRONT, slot) };
        self.own.extend(next);
        true
    }

    /// Asks for a helper, if there may be one more.
    fn ask(&self) {
        let shared = &self.passages.shared;
        // Relaxed: only this thread asks; who leaves meanwhile is asked for again.
        if shared.n_helpers.load(Ordering::Relaxed) >= self.how.max_helpers {
            return;
        }
        let n_others = shared.n_helpers.fetch_add(1, Ordering::Relaxed) as usize;
        let shared = Arc::clone(shared);
        let placement = &self.passages.shared.placement;
        call_for_help(Role::Caller, self.how.pool, placement, move || {
            shared.help(FRONT + 1 + n_others);
        });
    }

    /// Waits until the oldest event is completed, or another may be taken.
    fn wait(&self) {
        let shared = &self.passages.shared;
        let oldest = self.slot_of(self.n_gone);
        let has_come = || {
            shared.order.is_done(oldest)
                || shared.order.n_ready(FRONT) > 0
                || self.lack == Lack::NotYet && self.traffic.has_more()
        };
        idle(|since| {
            if has_come() {
                return Some(());
            }
            if since > LINGER {
                // SeqCst: who completes an event after this most probably sees it; if not, the nap is over soon.
                shared.is_front_asleep.store(true, Ordering::SeqCst);
                if !has_come() {
                    thread::park_timeout(NAP);
                }
                shared.is_front_asleep.store(false, Ordering::Relaxed);
            }
            None
        });
    }
}

impl<E: Event, C: Cases<E>, O: Dispatch, I, S> Stretch<'_, '_, E, C, O, I, S> {
    fn put_arrived(&mut self) {
        let (word, bits) = self.arrived;
        self.arrived.1 = 0;
        if bits != 0 {
            self.passages.shared.order.put(FRONT, word, bits);
        }
    }
}

impl<E: Event, C: Cases<E>, O: Dispatch, I, S> Drop for Stretch<'_, '_, E, C, O, I, S> {
    /// If whoever gives events or is told of outcomes panics: what is on its way is completed, as others may be at it, and
    /// forgotten.
    fn drop(&mut self) {
        self.put_arrived();
        let Passages {
            shared,
            front,
            n_come,
        } = &mut *self.passages;
        if self.is_held {
            let slot = *n_come as usize & (shared.ring.n_slots() - 1);
            // SAFETY: the last event has gone, and this one has not arrived.
            unsafe { shared.ring.slot(slot) }.forget();
        }
        if *n_come > self.n_gone {
            shared.is_stopped.store(true, Ordering::Relaxed);
        }
        while *n_come > self.n_gone {
            let slot = self.n_gone as usize & (shared.ring.n_slots() - 1);
            if shared.order.is_done(slot) {
                // SAFETY: it is completed, and has not gone.
                unsafe { shared.ring.slot(slot) }.forget();
                shared.order.release(front, slot);
                self.n_gone += 1;
                continue;
            }
            let kept = self.kept.drain(..);
            self.own.extend(kept.chain(shared.order.take(FRONT)));
            match self.own.pop() {
                // SAFETY: it was handed out to this thread, and the resources are still borrowed.
                Some(slot) => self.own.extend(unsafe { shared.run(FRONT, slot) }),
                None => thread::yield_now(),
            }
        }
        shared
            .order
            .set_oldest(self.n_gone as usize & (shared.ring.n_slots() - 1));
        // Relaxed: as in `new`.
        self.traffic.is_stopped |= shared.is_stopped.load(Ordering::Relaxed);
    }
}
