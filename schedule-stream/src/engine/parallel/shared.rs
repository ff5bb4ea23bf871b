//! The state that the threads of a stream share, and the processing of one event.
#![expect(unsafe_code, reason = "accesses slots whose events this thread holds")]

use core::any::TypeId;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crossbeam_utils::CachePadded;

use crate::base::footprint::Footprint;
use crate::engine::arrivals::ProcessingScope;
use crate::engine::dispatch::{Dispatch, Freed, Held};
use crate::engine::helpers::{Helpers, Work};
use crate::engine::inline;
use crate::engine::ring::{InFlightEvent, Ring};
use crate::program::event::{Cases, Event};
use crate::store::reason::Reason;
use crate::store::stores::Stores;
use schedule::internal::{HELPER_TIMEOUT, Instant, ParentSpan, idle};

/// The state that the threads of a stream share.
pub(super) struct Shared<E: Event, C, O> {
    pub(super) order: O,
    pub(super) ring: Ring<E>,
    pub(super) cases: C,
    /// The types of the recipes, by case of the event.
    recipes: Box<[TypeId]>,
    /// Whether a failure stops the stream. The value of the current call, not of the call that requested a helper.
    pub(super) stops: AtomicBool,
    /// Whether handlers are no longer called.
    pub(super) is_stopped: AtomicBool,
    /// The id of the channel of the events; 0 without producers.
    pub(super) arrivals: AtomicU64,
    /// Number of events that each thread has processed, by thread. Approximate: a helper of other work may have a
    /// higher index.
    n_processed: Box<[CachePadded<AtomicU64>]>,
    /// `nanos[slot]`: the time of the handler call of the event in this slot, [`MEASURED`] before it, or
    /// [`NOT_MEASURED`]. Used only if the footprint of the event has `is_apart`.
    nanos: Box<[AtomicU64]>,
}

const NOT_MEASURED: u64 = u64::MAX;
const MEASURED: u64 = u64::MAX - 1;

impl<E: Event, C: Cases<E>, O: Dispatch> Shared<E, C, O> {
    pub(super) fn new(cases: C, stores: &Stores, n_slots: usize, n_threads: usize) -> Self {
        let recipes = stores.cases.iter().map(|case| case.recipe);
        Self {
            order: O::new(n_slots, n_threads),
            ring: Ring::new(n_slots),
            cases,
            recipes: recipes.collect(),
            stops: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
            arrivals: AtomicU64::new(0),
            n_processed: (0..n_threads)
                .map(|_| CachePadded::new(AtomicU64::new(0)))
                .collect(),
            nanos: (0..n_slots).map(|_| AtomicU64::new(NOT_MEASURED)).collect(),
        }
    }

    /// Sets whether the handler call of the next event in this slot is measured.
    pub(super) fn set_measured(&self, slot: usize, is_measured: bool) {
        let nanos = if is_measured { MEASURED } else { NOT_MEASURED };
        // Relaxed: the hand-out of the event releases this store to the thread that gets it.
        self.nanos[slot].store(nanos, Ordering::Relaxed);
    }

    /// Returns the time of the handler call of the event in this slot, if it was measured.
    #[cold]
    pub(super) fn duration(&self, slot: usize) -> Option<Duration> {
        // Relaxed: the completion of the event released the store of the thread that held it.
        let nanos = self.nanos[slot].load(Ordering::Relaxed);
        (nanos < MEASURED).then(|| Duration::from_nanos(nanos))
    }

    /// Counts an event that this thread has processed.
    #[inline(always)]
    fn count(&self, thread: usize) {
        if let Some(n) = self.n_processed.get(thread) {
            // Relaxed: only for measurements. A load and a store suffice, because no other thread has this index.
            n.store(n.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }

    /// Returns the number of processed events, including earlier calls. Approximate.
    pub(super) fn n_processed(&self) -> u64 {
        let all = self.n_processed.iter();
        all.map(|n| n.load(Ordering::Relaxed)).sum()
    }

    /// Processes and completes an event. If `goes_on`, this thread takes the next one.
    ///
    /// # Safety
    ///
    /// The event was handed out to this thread, and its call of `process` has not ended.
    #[inline]
    pub(super) unsafe fn run(&self, thread: usize, held: Held, goes_on: bool) -> Freed {
        self.order
            .look_ahead(thread, held, |slot| self.ring.prefetch(slot));
        // SAFETY: the event was handed out to this thread, and its call of `process` has not ended: the contract of
        // this function.
        unsafe { self.run_event(thread, held.slot()) };
        self.order.complete(thread, held, goes_on)
    }

    /// Processes an event.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    #[inline(always)]
    pub(super) unsafe fn run_event(&self, thread: usize, slot: usize) {
        // SAFETY: the event was handed out to this thread: the contract of this function. So only this thread accesses
        // the slot.
        let in_flight = unsafe { self.ring.slot(slot) };
        // Relaxed: a failure of an event that this one waited for was released by its completion. Others may be seen
        // late.
        if self.is_stopped.load(Ordering::Relaxed) {
            in_flight.result = Some(Err(Reason::Stopped));
        } else {
            // SAFETY: `Dispatch` hands out an event only after all conflicting earlier ones are completed, and later
            // ones wait for this one. The resources are borrowed until the call of `process` ends.
            unsafe { self.handle(slot, in_flight) };
        }
        self.note(thread, in_flight);
    }

    /// Counts a processed event, and stops the stream if it failed and failures do so.
    #[inline(always)]
    pub(super) fn note(&self, thread: usize, in_flight: &InFlightEvent<E>) {
        // Relaxed: `stops` was written before the event was handed out. The completion of this event releases
        // `is_stopped` to the events that wait for it.
        let stops = self.stops.load(Ordering::Relaxed);
        let has_failed = |result| inline::has_failed(result, &in_flight.info);
        if stops && in_flight.result.as_ref().is_some_and(has_failed) {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        self.count(thread);
    }

    /// Returns the type of the recipe that made this footprint.
    #[inline(always)]
    pub(super) fn recipe(&self, footprint: &Footprint) -> TypeId {
        self.recipes[usize::from(footprint.case)]
    }

    /// Calls the handler of an event with its footprint.
    ///
    /// # Safety
    ///
    /// The addresses of the footprint are valid, no conflicting event runs, and the event is in this slot.
    #[inline(always)]
    pub(super) unsafe fn handle(&self, slot: usize, in_flight: &mut InFlightEvent<E>) {
        if in_flight.footprint.is_apart {
            // SAFETY: the footprint is valid, and no conflicting event runs: the contract of this function.
            unsafe { self.handle_apart(slot, in_flight) }
        } else {
            // SAFETY: as above.
            unsafe { self.call(in_flight) }
        }
    }

    /// Calls the handler.
    ///
    /// # Safety
    ///
    /// As for [`handle`](Self::handle).
    #[inline(always)]
    unsafe fn call(&self, in_flight: &mut InFlightEvent<E>) {
        let event = in_flight.event.as_ref().expect("the slot has an event");
        let (footprint, result) = (&in_flight.footprint, &mut in_flight.result);
        let recipe = self.recipe(footprint);
        // SAFETY: this recipe made the footprint, the footprint is valid, and no conflicting event runs.
        unsafe {
            inline::handle(
                &self.cases,
                event,
                &in_flight.info,
                footprint,
                recipe,
                result,
            )
        };
    }

    /// Calls the handler within its span, if it has one, and measures the time. If the subscriber panics, the event fails,
    /// because other events may wait for it. If it panics before the call of the handler, the handler has not run.
    ///
    /// # Safety
    ///
    /// As for [`handle`](Self::handle).
    #[cold]
    unsafe fn handle_apart(&self, slot: usize, in_flight: &mut InFlightEvent<E>) {
        let parent_span = core::mem::replace(&mut in_flight.parent_span, ParentSpan::NOTHING);
        let case = usize::from(in_flight.footprint.case);
        let handled = catch_unwind(AssertUnwindSafe(|| {
            let name = || E::HANDLERS[case].name.base();
            let _span = parent_span.handler(
                name,
                in_flight.info.position.batch,
                in_flight.info.position.index,
            );
            // Relaxed: as in `set_measured`.
            let is_measured = self.nanos[slot].load(Ordering::Relaxed) == MEASURED;
            let start = is_measured.then(Instant::now);
            // SAFETY: the footprint is valid, and no conflicting event runs: the contract of this function.
            unsafe { self.call(in_flight) };
            let is_called = match &in_flight.result {
                Some(Err(reason)) => reason.is_called(),
                _ => true,
            };
            if let Some(start) = start
                && is_called
            {
                let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
                // Relaxed: as in `duration`.
                self.nanos[slot].store(nanos.min(MEASURED - 1), Ordering::Relaxed);
            }
        }));
        if let Err(panic) = handled {
            let answer = in_flight.result.as_ref();
            let is_called = !matches!(answer, None | Some(Err(Reason::PanickedBeforeCall(_))));
            in_flight.forget_result();
            in_flight.result = Some(Err(Reason::panicked(panic, is_called)));
        }
    }
}

impl<E: Event, C: Cases<E>, O: Dispatch> Work for Shared<E, C, O> {
    fn help(&self, thread: usize, helpers: &Arc<Helpers>, n_works: u32) {
        loop {
            let found = idle(|since| match self.order.take(thread, true) {
                Some(held) => Some(Some(held)),
                None => (since > HELPER_TIMEOUT || helpers.n_works() != n_works).then_some(None),
            });
            let mut next = found;
            while let Some(held) = next {
                // Relaxed: written before the event was handed out. Read for each event, because another call may have
                // begun.
                let _here = ProcessingScope::new(self.arrivals.load(Ordering::Relaxed));
                // SAFETY: `take` or `complete` has handed out the event to this thread. The call of `process` waits for
                // all events that were handed out.
                let freed = unsafe { self.run(thread, held, true) };
                if freed.has_more {
                    helpers.ask_for_another();
                }
                helpers.wake();
                next = freed.next.or_else(|| self.order.take(thread, true));
            }
            if found.is_none() {
                break;
            }
        }
    }

    fn has_some(&self) -> bool {
        self.order.has_some()
    }
}
