//! Arrival: each event gets a slot, names its records, and is added to the order.
//!
//! Several events name their records before the first of them arrives, so that prefetches complete in time.
#![expect(unsafe_code, reason = "accesses slots whose events have not arrived")]

use core::any::TypeId;
use core::sync::atomic::Ordering;

use super::{BATCH, NoArrival, ParallelState, ParallelStretch};
use crate::base::footprint::{FEW, Footprint};
use crate::engine::dispatch::{DISPATCHER, Dispatch};
use crate::engine::inline;
use crate::engine::traffic::Incoming;
use crate::program::event::{Cases, ClearFootprint, Event, EventCase, Visitor};
use crate::program::recipe::{Recipe, assert_is};
use crate::store::reason::Reason;
use schedule::internal::prefetch_line;

/// The number of events that have named their records ahead of an arrival.
const NAMED_AHEAD: u64 = 2;
/// The number of events that name their records in a row, so that their cache misses overlap.
const NAMED_IN_A_ROW: u64 = 8;
/// How many events ahead the memory of footprints is prefetched. Other threads have read it, so a prefetch takes as
/// long as the ordering of several events.
const FOOTPRINTS_AHEAD: u64 = 12;
/// Maximum number of footprint entries of all events in flight, to limit memory. One event alone may have more.
const MAX_ENTRIES: usize = 1 << 18;

/// The next step for an event that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrived {
    /// This thread processes it now.
    Ready,
    /// The ordering structure has it.
    Waits,
    /// It only has to be reported.
    Done,
}

/// Visitor: adds an event to the order. Returns whether it is handed out immediately.
struct Arrival<'a, O: Dispatch> {
    /// The type of the recipe that made the footprint.
    recipe: TypeId,
    order: &'a O,
    dispatcher: &'a mut O::Dispatcher,
    slot: usize,
    footprint: &'a Footprint,
}

impl<E: Event, O: Dispatch> Visitor<E> for Arrival<'_, O> {
    type Output = bool;

    #[inline(always)]
    fn visit<P, R: Recipe<P>>(self, case: EventCase<'_, E, P, R>) -> bool {
        assert_is::<R>(self.recipe);
        let named = case.recipe.of_footprint(self.footprint);
        self.order.arrive(self.dispatcher, self.slot, &named)
    }
}

impl<E, C, O> ParallelStretch<'_, '_, E, C, O>
where
    E: Event,
    C: Cases<E>,
    O: Dispatch,
{
    /// Lets up to `most` events arrive: those that have a footprint, and more if `goes_on`. Returns the number of
    /// arrivals.
    pub(super) fn let_arrive(&mut self, goes_on: bool, most: u32) -> usize {
        let mut n_new = 0;
        let mut has_asked = false;
        while n_new < BATCH.min(most) && self.n_at_once < self.n_in_turn {
            let ahead = match self.n_named - self.state.n_come {
                0..=NAMED_AHEAD if goes_on => NAMED_AHEAD + NAMED_IN_A_ROW,
                _ => 0,
            };
            while self.n_named < self.state.n_come + ahead {
                if let Err(no_arrival) = self.let_one_name() {
                    self.no_arrival = no_arrival;
                    break;
                }
            }
            if !self.has_named() {
                break;
            }
            let slot = self.state.shared.ring.slot_of(self.state.n_come);
            let arrived = match self.let_one_arrive(slot) {
                Ok(arrived) => arrived,
                Err(no_arrival) => {
                    self.no_arrival = no_arrival;
                    break;
                }
            };
            n_new += 1;
            self.state.n_come += 1;
            match arrived {
                Arrived::Ready => {
                    // SAFETY: `arrive` has handed out the event to this thread. The call of `process` is still running.
                    unsafe { self.state.shared.run_event(DISPATCHER, slot) };
                    self.n_at_once += 1;
                }
                Arrived::Waits if !has_asked => {
                    // Request a helper before this thread runs a handler that may take long.
                    self.helper_set = self.ask();
                    has_asked = true;
                }
                Arrived::Waits => self.ask_for_who_left(),
                Arrived::Done => {}
            }
        }
        let ParallelState {
            shared, dispatcher, ..
        } = &mut *self.state;
        shared.order.publish(dispatcher);
        let n_conflicts = shared.order.take_n_conflicts(dispatcher);
        self.traffic.observer.meter.note_conflicts(n_conflicts);
        n_new as usize
    }

    /// Gives the next event a slot, and lets it name its records.
    #[inline]
    fn let_one_name(&mut self) -> Result<(), NoArrival> {
        let n_before = self.n_named - self.n_gone;
        let n_slots = self.state.shared.ring.len() as u64;
        let is_full = n_before >= self.how.most.min(n_slots);
        if is_full || self.is_last_exclusive && n_before > 0 {
            return Err(NoArrival::Rest);
        }
        if self.traffic.wants_rest() {
            if n_before > 0 {
                return Err(NoArrival::Rest);
            }
            // SAFETY: the resources are borrowed exclusively: the contract of `ParallelStretch::new`. `n_before` is 0,
            // so no event is in flight.
            unsafe { self.stores.count_records() };
            self.traffic.rest();
        }
        let shared = &self.state.shared;
        let slot = shared.ring.slot_of(self.n_named);
        if n_before + FOOTPRINTS_AHEAD < n_slots {
            let ahead = shared.ring.slot_of(self.n_named + FOOTPRINTS_AHEAD);
            shared.ring.prefetch_footprint(ahead);
        }
        // SAFETY: `n_before` is below the number of slots, so the previous event of this slot is released. The next one
        // has not arrived, so only the dispatcher accesses the slot.
        let in_flight = unsafe { shared.ring.slot(slot) };
        let event = match (self.traffic.next(&mut in_flight.event), &in_flight.event) {
            (Incoming::Event, Some(event)) => event,
            (Incoming::AfterReports, _) => return Err(NoArrival::Rest),
            (Incoming::NotYet, _) => return Err(NoArrival::NotYet),
            _ => return Err(NoArrival::Over),
        };
        in_flight.info = self.traffic.last_info();
        let n_ahead = self.n_named - self.state.n_come;
        self.n_named += 1;
        in_flight.parent_span = self.traffic.parent_span.clone();
        if let Some(reason) = self.traffic.take_refusal() {
            shared
                .cases
                .visit(event, ClearFootprint(&mut in_flight.footprint));
            self.is_last_exclusive = false;
            in_flight.result = Some(Err(reason));
            return Ok(());
        }
        let footprint = &mut in_flight.footprint;
        let (order, dispatcher) = (&shared.order, &self.state.dispatcher);
        let is_own = order.would_be_at_once(dispatcher, n_ahead);
        let named = inline::locate(
            &shared.cases,
            self.stores,
            event,
            footprint,
            |address, how| {
                order.prefetch_tail(dispatcher, address, how);
                if is_own {
                    prefetch_line(address.as_ptr().cast());
                }
            },
        );
        if !footprint.is_exclusive {
            let n_doubts = self.traffic.n_doubts;
            self.traffic.n_doubts = n_doubts.saturating_add(footprint.n_doubts.into());
        }
        self.is_last_exclusive = footprint.is_exclusive;
        if self.traffic.is_apart() {
            footprint.is_apart = true;
            shared.set_measured(slot, self.traffic.takes_sample());
        }
        if let Err(reason) = named {
            in_flight.result = Some(Err(reason));
        }
        Ok(())
    }

    /// Lets the next event arrive, in this slot, if there is room for it.
    fn let_one_arrive(&mut self, slot: usize) -> Result<Arrived, NoArrival> {
        let is_empty = self.n_in_flight() == 0;
        let ParallelState {
            shared, dispatcher, ..
        } = &mut *self.state;
        // SAFETY: the event in this slot has not arrived, so only the dispatcher accesses the slot.
        let in_flight = unsafe { shared.ring.slot(slot) };
        let Footprint {
            is_exclusive, case, ..
        } = in_flight.footprint;
        let n_entries = in_flight.footprint.most_in_order();
        let is_large = n_entries > FEW;
        let is_too_much = is_large && self.n_entries + n_entries > MAX_ENTRIES;
        let is_only_one = is_exclusive || n_entries > shared.order.max_entries();
        if !is_empty && (is_only_one || is_too_much) {
            return Err(NoArrival::Rest);
        }
        if in_flight.result.is_none() && shared.is_stopped.load(Ordering::Relaxed) {
            in_flight.result = Some(Err(Reason::Stopped));
        }
        if is_only_one && in_flight.result.is_none() {
            if is_exclusive {
                // SAFETY: the resources are borrowed exclusively: the contract of `ParallelStretch::new`. `is_empty`
                // holds, so no event is in flight.
                unsafe { self.stores.count_whole_stores(usize::from(case)) };
            }
            // SAFETY: `is_empty` holds, so no other event is in flight. The resources are borrowed exclusively: the
            // contract of `ParallelStretch::new`.
            unsafe { shared.handle(slot, in_flight) };
        }
        let is_over = in_flight.result.is_some();
        if !is_over && !shared.order.has_room(dispatcher, n_entries) {
            return Err(NoArrival::Rest);
        }
        if is_large {
            self.n_entries += n_entries;
        }
        if is_over {
            if is_exclusive {
                // SAFETY: the resources are borrowed exclusively: the contract of `ParallelStretch::new`. An exclusive
                // event gets here only if no other event is in flight.
                unsafe {
                    self.traffic
                        .doubt(in_flight.footprint.n_doubts, self.stores)
                };
            }
            shared.order.arrive_done(dispatcher, slot);
            shared.note(DISPATCHER, in_flight);
            return Ok(Arrived::Done);
        }
        let event = in_flight.event.as_ref().expect("the slot has an event");
        let arrival = Arrival {
            recipe: shared.recipe(&in_flight.footprint),
            order: &shared.order,
            dispatcher,
            slot,
            footprint: &in_flight.footprint,
        };
        if shared.cases.visit(event, arrival) {
            Ok(Arrived::Ready)
        } else {
            Ok(Arrived::Waits)
        }
    }
}
