//! What the threads of a stream share, and what each of them does with an event.
#![expect(
    unsafe_code,
    reason = "says of events that they were handed out to this thread"
)]

use core::any::TypeId;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crossbeam_utils::CachePadded;

use crate::arrivals::ProcessingScope;
use crate::dispatch::{Dispatch, Freed, Held};
use crate::event::{Cases, Event};
use crate::footprint::Footprint;
use crate::helpers::{Helpers, Work};
use crate::inline;
use crate::reason::Reason;
use crate::ring::{InFlightEvent, Ring};
use crate::stores::Stores;
use schedule::internal::{Around, STAY, idle};

/// What the threads of a stream share.
pub(super) struct Shared<E: Event, C, O> {
    pub(super) order: O,
    pub(super) ring: Ring<E>,
    pub(super) cases: C,
    /// By case of the event.
    recipes: Box<[TypeId]>,
    /// Whether a failure stops the stream. Of this call, whatever it was when a helper was asked for.
    pub(super) stops: AtomicBool,
    /// No handler is called any more.
    pub(super) is_stopped: AtomicBool,
    /// Whose events these are, if they have producers.
    pub(super) arrivals: AtomicU64,
    /// By thread: how many events it has processed. About: a helper of other work may have a number that is not among these.
    n_processed: Box<[CachePadded<AtomicU64>]>,
}

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
        }
    }

    /// The `thread`th has processed one event more.
    #[inline(always)]
    fn count(&self, thread: usize) {
        if let Some(n) = self.n_processed.get(thread) {
            // Relaxed: only speeds go by it. No exchange, as no other thread has that number.
            n.store(n.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }

    /// How many events were processed, in earlier calls as well. About.
    pub(super) fn n_processed(&self) -> u64 {
        let all = self.n_processed.iter();
        all.map(|n| n.load(Ordering::Relaxed)).sum()
    }

    /// Processes an event, and completes it, as the `thread`th, which goes on or not.
    ///
    /// # Safety
    ///
    /// The event was handed out to this thread, and the call of `process` that it came by is not over.
    #[inline]
    pub(super) unsafe fn run(&self, thread: usize, held: Held, goes_on: bool) -> Freed {
        self.order
            .look_ahead(thread, held, |slot| self.ring.prefetch(slot));
        // SAFETY: the event was handed out to this thread, and its call of `process` has not ended: the contract of
        // this function.
        unsafe { self.process(thread, held.slot()) };
        self.order.complete(thread, held, goes_on)
    }

    /// Processes an event.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    #[inline]
    pub(super) unsafe fn process(&self, thread: usize, slot: usize) {
        // SAFETY: it was handed out to this thread.
        let passage = unsafe { self.ring.slot(slot) };
        // Relaxed: what is to be seen is seen soon.
        if self.is_stopped.load(Ordering::Relaxed) {
            passage.result = Some(Err(Reason::Stopped));
        } else {
            // SAFETY: nothing that conflicts with it runs, since the event was handed out; the stores are borrowed.
            unsafe { self.handle(passage) };
        }
        self.note(thread, passage);
    }

    /// The `thread`th has processed an event.
    #[inline(always)]
    pub(super) fn note(&self, thread: usize, passage: &InFlightEvent<E>) {
        // Relaxed: written before the event was handed out; what is to be seen is seen soon.
        let stops = self.stops.load(Ordering::Relaxed);
        if stops && passage.result.as_ref().is_some_and(inline::has_failed) {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        self.count(thread);
    }

    /// Who made this footprint.
    #[inline(always)]
    pub(super) fn recipe(&self, footprint: &Footprint) -> TypeId {
        self.recipes[usize::from(footprint.case)]
    }

    /// Calls the handler of an event that has named what it takes.
    ///
    /// # Safety
    ///
    /// What it has named is there, and nothing that conflicts with it runs.
    #[inline]
    pub(super) unsafe fn handle(&self, passage: &mut InFlightEvent<E>) {
        if passage.around.is_some() {
            // SAFETY: the footprint is valid, and no conflicting event runs: the contract of this function.
            return unsafe { self.handle_in_span(passage) };
        }
        let event = passage.event.as_ref().expect("the slot has an event");
        let (footprint, result) = (&passage.footprint, &mut passage.result);
        let recipe = self.recipe(footprint);
        // SAFETY: this recipe made the footprint, the footprint is valid, and no conflicting event runs.
        unsafe { inline::handle(&self.cases, event, footprint, recipe, result) };
    }

    /// The same with a span around the call. A subscriber that panics makes the event fail, since others may wait for the event:
    /// if it panics before the handler was called, the handler has not run.
    ///
    /// # Safety
    ///
    /// As for [`handle`](Self::handle).
    #[cold]
    unsafe fn handle_in_span(&self, passage: &mut InFlightEvent<E>) {
        let around = core::mem::replace(&mut passage.around, Around::NOTHING);
        let case = usize::from(passage.footprint.case);
        let handled = catch_unwind(AssertUnwindSafe(|| {
            let name = || E::HANDLERS[case].name.base();
            let _span = around.handler(name, passage.position);
            // SAFETY: the footprint is valid, and no conflicting event runs: the contract of this function.
            unsafe { self.handle(passage) };
        }));
        if let Err(panic) = handled {
            let answer = passage.result.as_ref();
            let is_called = !matches!(answer, None | Some(Err(Reason::PanickedBeforeCall(_))));
            passage.forget_result();
            passage.result = Some(Err(Reason::panicked(panic, is_called)));
        }
    }
}

impl<E: Event, C: Cases<E>, O: Dispatch> Work for Shared<E, C, O> {
    fn help(&self, thread: usize, helpers: &Arc<Helpers>, n_works: u32) {
        loop {
            let found = idle(|since| match self.order.take(thread, true) {
                Some(held) => Some(Some(held)),
                None => (since > STAY || helpers.n_works() != n_works).then_some(None),
            });
            let mut next = found;
            while let Some(held) = next {
                // Relaxed: written before it was handed out. Another call may have begun since the last one.
                let _here = ProcessingScope::new(self.arrivals.load(Ordering::Relaxed));
                // SAFETY: it was handed out to this thread; the call is not over while an event is not completed.
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
