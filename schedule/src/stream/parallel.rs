//! Many events at once, on the thread that calls and on those of a pool that help it.
//!
//! The thread that calls is the front: it lets events arrive, tells outcomes in order, and processes events as long as there
//! are enough of them for the others. Helpers come and go, as those of a schedule do; nothing waits for one that is late.
#![expect(
    unsafe_code,
    reason = "says of events that they were handed out to this thread"
)]

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};

use rayon::ThreadPool;

use super::arrivals::Here;
use super::claim::Use;
use super::event::{Cases, Event};
use super::inline::{self, NAP};
use super::order::Order;
use super::outcome::Refusal;
use super::pace::Pace;
use super::ring::Ring;
use super::stores::Stores;
use super::traffic::{Incoming, Input, Sink, Traffic};
use crate::executor::help::call_for_help;
use crate::executor::idle::{LINGER, STAY, idle};
use crate::executor::placement::Placement;
use crate::executor::role::Role;

/// So many events arrive at once, at most.
const BATCH: usize = 16;
/// So many events for each helper are enough to be taken.
const AHEAD: u32 = 16;

/// What the threads of a stream share.
pub(super) struct Shared<E: Event, C, O> {
    pub(super) order: O,
    ring: Ring<E>,
    cases: C,
    /// Whether a failure stops the stream. Of this call, whatever it was when a helper was asked for.
    stops: AtomicBool,
    /// No handler is called any more.
    is_stopped: AtomicBool,
    /// Whose events these are, if they have producers.
    arrivals: AtomicU64,
    n_helpers: AtomicU32,
    is_front_asleep: AtomicBool,
    front: Mutex<Option<Thread>>,
    placement: Placement,
}

impl<E: Event, C: Cases<E>, O: Order> Shared<E, C, O> {
    pub(super) fn new(cases: C, n_slots: usize) -> Self {
        Self {
            order: O::new(n_slots),
            ring: Ring::new(n_slots),
            cases,
            stops: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
            arrivals: AtomicU64::new(0),
            n_helpers: AtomicU32::new(0),
            is_front_asleep: AtomicBool::new(false),
            front: Mutex::new(None),
            placement: Placement::new(),
        }
    }

    /// Processes an event, and completes it; returns one of those that waited for it, and lets others take the rest.
    ///
    /// # Safety
    ///
    /// The event was handed out to this thread, and the call of `process` that it came by is not over.
    #[inline]
    unsafe fn run(&self, slot: usize) -> Option<usize> {
        // SAFETY: it was handed out to this thread.
        let passage = unsafe { self.ring.slot(slot) };
        let event = passage.event.as_ref().expect("an event that arrived");
        // Relaxed: what is to be seen is seen soon.
        if self.is_stopped.load(Ordering::Relaxed) {
            passage.result = Some(Err(Refusal::Stopped));
        } else {
            // SAFETY: nothing that conflicts with it runs, since it was handed out; the stores are borrowed.
            unsafe { inline::handle(&self.cases, event, &passage.claims, &mut passage.result) };
            // Relaxed: written before the event was handed out.
            if self.stops.load(Ordering::Relaxed) && inline::has_failed(&passage.result) {
                self.is_stopped.store(true, Ordering::Relaxed);
            }
        }
        let mut next = None;
        self.order.complete(slot, |ready| match next {
            None => next = Some(ready),
            Some(_) => self.order.put(ready / 64, 1 << (ready % 64)),
        });
        next
    }

    /// Processes events as long as there are some.
    fn help(&self) {
        self.placement.keep_apart();
        loop {
            let found = idle(|since| match self.order.take(1, 1).next() {
                Some(slot) => Some(Some(slot)),
                None => (since > STAY).then_some(None),
            });
            let Some(slot) = found else { break };
            // Relaxed: written before it was handed out.
            let _here = Here::new(self.arrivals.load(Ordering::Relaxed));
            let mut next = Some(slot);
            while let Some(slot) = next {
                // SAFETY: it was handed out to this thread; the call is not over while an event is not completed.
                next = unsafe { self.run(slot) };
                if self.is_front_asleep.load(Ordering::Relaxed) {
                    self.wake();
                }
            }
        }
        self.n_helpers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Asks for the memory of an event that is to be processed next.
    fn prefetch(&self, slot: usize) {
        self.order.prefetch(slot);
        self.ring.prefetch(slot);
    }

    #[cold]
    fn wake(&self) {
        let front = self.front.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(front) = &*front {
            front.unpark();
        }
    }
}

/// What the front needs to know from one call of `process` to the next.
pub(super) struct Passages<E: Event, C, O: Order> {
    shared: Arc<Shared<E, C, O>>,
    front: O::Front,
    /// How many have arrived here.
    n_come: u64,
}

impl<E: Event, C: Cases<E>, O: Order> Passages<E, C, O> {
    pub(super) fn new(cases: C, n_slots: usize) -> Self {
        let shared = Shared::<E, C, O>::new(cases, n_slots);
        Self {
            front: shared.order.front(),
            shared: Arc::new(shared),
            n_come: 0,
        }
    }
}

/// One stretch of a call of `process` in which several threads process events.
pub(super) struct Stretch<'s, 't, E: Event, C: Cases<E>, O: Order, I, S> {
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
    O: Order,
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
        }
    }

    /// Lets events arrive as long as `pace` says so, and processes all of them. Whether there are more.
    pub(super) fn run(mut self, pace: &mut Pace) -> bool {
        loop {
            let n_told = self.tell();
            let goes_on = pace.goes_on(n_told) || self.how.is_forced;
            let shared = &self.passages.shared;
            let n_ready = shared.order.n_ready();
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
            // One, or all that nobody else would take.
            let mut has_processed = self.process_one();
            while self.how.max_helpers == 0 && self.process_one() {
                has_processed = true;
            }
            if has_processed || n_told + n_new > 0 {
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
                inline::wait(|| self.traffic.has_more());
                continue;
            }
            pace.end_parallel();
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
        let n_gone = self.n_gone;
        while self.n_on_their_way() > 0 {
            let slot = self.slot_of(self.n_gone);
            let Passages { shared, front, .. } = &mut *self.passages;
            if !shared.order.is_done(slot) {
                break;
            }
            // SAFETY: it is completed, and has not gone.
            let passage = unsafe { shared.ring.slot(slot) };
            let event = passage.event.take().expect("an event that arrived");
            let (case, position) = (passage.claims.case, passage.position);
            shared.order.release(front, slot);
            self.n_gone += 1;
            // Most probably another thread has written there.
            let next = self.n_gone as usize & (shared.ring.n_slots() - 1);
            shared.prefetch(next);
            let result = passage.result.as_mut();
            let result = result.expect("an event that was processed");
            self.traffic.tell(position, event, case, result);
        }
        (self.n_gone - n_gone) as usize
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
            let event = match self.traffic.next() {
                Incoming::Event(event) => passage.event.insert(event),
                Incoming::NotYet => return Err(Lack::NotYet),
                Incoming::Over => return Err(Lack::Over),
            };
            let mut named = inline::name(&shared.cases, self.stores, event, &mut passage.claims);
            if named.is_ok() && shared.is_stopped.load(Ordering::Relaxed) {
                named = Err(Refusal::Stopped);
            }
            if stops && matches!(named, Err(Refusal::Panicked(_))) {
                shared.is_stopped.store(true, Ordering::Relaxed);
            }
            self.traffic.n_doubts += passage.claims.n_doubts;
            passage.result = named.err().map(Err);
        } else if shared.is_stopped.load(Ordering::Relaxed) {
            // That was found out while it was held.
            passage.result = Some(Err(Refusal::Stopped));
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
                unsafe { self.stores.settle_for(passage.claims.case) };
            }
            let event = passage.event.as_ref().expect("it has arrived");
            // SAFETY: no other event is on its way; the stores are borrowed.
            unsafe { inline::handle(&shared.cases, event, &passage.claims, &mut passage.result) };
            if stops && inline::has_failed(&passage.result) {
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
        let ordered = claims.filter(|claim| claim.how != Use::Beside);
        let ordered = ordered.filter_map(|claim| Some((claim.address?, claim.how)));
        Ok(shared.order.arrive(front, slot, ordered))
    }

    /// Processes one event, if there is one to be taken.
    fn process_one(&mut self) -> bool {
        let shared = &self.passages.shared;
        if self.own.is_empty() && self.kept.is_empty() {
            self.own.extend(shared.order.take(1, 1));
        }
        let Some(slot) = self.own.pop().or_else(|| self.kept.pop_front()) else {
            return false;
        };
        if let Some(next) = self.kept.front() {
            shared.prefetch(*next);
        }
        // SAFETY: it was handed out to this thread, and the resources are borrowed.
        let next = unsafe { shared.run(slot) };
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
        shared.n_helpers.fetch_add(1, Ordering::Relaxed);
        let shared = Arc::clone(shared);
        let placement = &self.passages.shared.placement;
        call_for_help(Role::Caller, self.how.pool, placement, move || {
            shared.help();
        });
    }

    /// Waits until the oldest event is completed, or another may be taken.
    fn wait(&self) {
        let shared = &self.passages.shared;
        let oldest = self.slot_of(self.n_gone);
        let has_come = || {
            shared.order.is_done(oldest)
                || shared.order.n_ready() > 0
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

impl<E: Event, C: Cases<E>, O: Order, I, S> Stretch<'_, '_, E, C, O, I, S> {
    fn put_arrived(&mut self) {
        let (word, bits) = self.arrived;
        self.arrived.1 = 0;
        if bits != 0 {
            self.passages.shared.order.put(word, bits);
        }
    }
}

impl<E: Event, C: Cases<E>, O: Order, I, S> Drop for Stretch<'_, '_, E, C, O, I, S> {
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
            unsafe { shared.ring.slot(slot) }.event = None;
        }
        if *n_come > self.n_gone {
            shared.is_stopped.store(true, Ordering::Relaxed);
        }
        while *n_come > self.n_gone {
            let slot = self.n_gone as usize & (shared.ring.n_slots() - 1);
            if shared.order.is_done(slot) {
                // SAFETY: it is completed, and has not gone.
                let passage = unsafe { shared.ring.slot(slot) };
                passage.event = None;
                passage.result = None;
                shared.order.release(front, slot);
                self.n_gone += 1;
                continue;
            }
            let kept = self.kept.drain(..);
            self.own.extend(kept.chain(shared.order.take(1, 1)));
            match self.own.pop() {
                // SAFETY: it was handed out to this thread, and the resources are still borrowed.
                Some(slot) => self.own.extend(unsafe { shared.run(slot) }),
                None => thread::yield_now(),
            }
        }
        // Relaxed: as in `new`.
        self.traffic.is_stopped |= shared.is_stopped.load(Ordering::Relaxed);
    }
}
