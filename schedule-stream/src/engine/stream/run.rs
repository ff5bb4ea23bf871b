//! The run of one call: the choice of modes, and stretches of events on one thread or several.

use core::any::Any;
use std::sync::Arc;

use super::{CallSettings, Processing, Stream};
use crate::base::position::BatchTime;
use crate::engine::batches::Batches;
use crate::engine::dispatch::Dispatch;
use crate::engine::ends::Ends;
use crate::engine::inline;
use crate::engine::lanes::Lanes;
use crate::engine::mode::{Mode, Order};
use crate::engine::parallel::{ParallelState, ParallelStretch, StretchSettings};
use crate::engine::queues::Queues;
use crate::engine::traffic::{Incoming, Traffic};
use crate::observe::meter::ModeLabel;
use crate::program::event::{Cases, Event};
use schedule::FailurePolicy;
use schedule::internal::{FirstPanic, Instant, Occupation, WholeSpan, n_threads};

/// [`Stream::run_parallel`] with one structure. With a pointer, a structure that only tests set is not compiled for other events.
pub(super) type StretchFn<E> =
    unsafe fn(&mut Stream<E>, &mut Traffic<'_, E>, StretchSettings<'_>) -> bool;

impl<E: Event> Stream<E> {
    /// The entry of the engine. It is large, and does not depend on the types of the input and the outcome callback, so
    /// it is compiled once per event type. Returns the first panic of user code, if there was one, and whether the call has
    /// ended because too many follow-up events wait.
    ///
    /// # Safety
    ///
    /// The stores were found in resources that are borrowed exclusively.
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    pub(crate) unsafe fn run_checked(
        &mut self,
        ends: &mut dyn Ends<E>,
        settings: CallSettings,
    ) -> (FirstPanic, bool) {
        let whole = WholeSpan::stream();
        let first = self.first_position(settings.first);
        self.batches.begin(first, settings.max_batches);
        // SAFETY: the resources are borrowed exclusively: the contract of this function. No event has arrived yet.
        let n_doubts = unsafe { self.stores.n_doubts() };
        let mut batches = core::mem::replace(&mut self.batches, Batches::new());
        let mut clock = core::mem::replace(&mut self.clock, Box::new(BatchTime::now));
        let parent_span = whole.parent_span();
        let mut observer = core::mem::take(&mut self.observer);
        observer.begin_call::<E>();
        let mut traffic = Traffic::new(
            ends,
            &mut batches,
            &mut clock,
            n_doubts,
            (self.limits, settings.gate),
            parent_span,
            &mut observer,
        );
        // This thread does not help others until its own events are processed.
        let _occupation = Occupation::begin();
        // If the input or the outcome callback panics, events that arrived are still counted.
        let mut panics = FirstPanic::default();
        panics.call(|| {
            // SAFETY: the resources are borrowed exclusively: the contract of this function.
            unsafe { self.run_stretches(&mut traffic, &settings) };
        });
        // A recorder, a subscriber of spans and dropped values may panic too. The records must be counted in any case.
        let (n_arrived, is_backlogged) = (traffic.n_arrived(), traffic.is_backlogged());
        panics.call(|| traffic.end_call());
        panics.call(|| whole.note_events(n_arrived));
        if !panics.is_none() {
            panics.drop_each(batches.pending.drain(..));
            batches.go_to(batches.next());
        }
        panics.drop(whole);
        (self.batches, self.clock, self.observer) = (batches, clock, observer);
        // SAFETY: the resources are borrowed exclusively: the contract of this function. `run_stretches` has
        // completed all events, even if it panicked.
        unsafe { self.stores.count_records() };
        (panics, is_backlogged)
    }

    /// Processes all events with this structure, on several threads.
    #[cfg(feature = "durable")]
    pub(crate) fn set_structure<O: Dispatch>(&mut self) {
        self.set_processing(Processing::Parallel);
        self.forced = Some(Self::run_parallel::<O>);
    }

    /// Processes stretches until no more events arrive.
    ///
    /// # Safety
    ///
    /// The stores were found in resources that are borrowed exclusively.
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    unsafe fn run_stretches(&mut self, traffic: &mut Traffic<'_, E>, settings: &CallSettings) {
        let stops = self.failure_policy == FailurePolicy::Stop;
        if settings.is_one_by_one {
            traffic.take_one_by_one();
        }
        let (processing, forced) = if stops && settings.is_exact || settings.is_one_by_one {
            (Processing::Serial, None)
        } else {
            (self.processing, self.forced)
        };
        let n_threads = match &self.pool {
            _ if processing == Processing::Serial => 1,
            pool => n_threads(pool.as_deref()),
        };
        let pool = self.pool.clone();
        loop {
            let mode = match n_threads {
                // Its order is not read.
                _ if forced.is_some() => Mode::Parallel(Order::Lanes),
                1 => Mode::Inline(usize::MAX),
                _ => self.selector.next_mode(),
            };
            let has_more = match mode {
                Mode::Inline(n) => {
                    // SAFETY: the resources are borrowed exclusively: the contract of this function. Each stretch ends
                    // with no event in flight.
                    unsafe { self.run_inline(traffic, stops, n) }
                }
                Mode::Parallel(order) => {
                    if n_threads > 1 {
                        self.prepared.prepare(pool.as_ref());
                    }
                    let helpers = Arc::clone(&self.helpers);
                    let how = StretchSettings {
                        helpers: &helpers,
                        pool: pool.as_deref(),
                        max_helpers: n_threads as u32 - 1,
                        stops,
                        arrivals: settings.channel,
                        is_forced: forced.is_some(),
                        most: match processing {
                            Processing::Auto => self.selector.most(),
                            _ => u64::MAX,
                        },
                    };
                    let run = forced.unwrap_or(match order {
                        Order::Lanes => Self::run_parallel::<Lanes>,
                        Order::Queues => Self::run_parallel::<Queues>,
                    });
                    // SAFETY: the resources are borrowed exclusively: the contract of this function.
                    unsafe { run(self, traffic, how) }
                }
            };
            if !has_more {
                break;
            }
        }
    }

    /// Processes a stretch of up to `n` events on this thread. Returns whether there are more events.
    ///
    /// # Safety
    ///
    /// As for `run_stretches`. No event is in flight.
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    unsafe fn run_inline(&mut self, traffic: &mut Traffic<'_, E>, stops: bool, n: usize) -> bool {
        traffic.begin_stretch(ModeLabel::Inline);
        let (start, before) = (Instant::now(), traffic.n_arrived());
        // SAFETY: the resources are borrowed exclusively, and no event is in flight: the contract of this function.
        let next = unsafe {
            inline::run_events(
                &E::cases(),
                &mut self.stores,
                &mut self.footprint,
                traffic,
                stops,
                n,
            )
        };
        let n = traffic.n_arrived() - before;
        self.selector.note_inline(n as usize, start.elapsed());
        if let Incoming::NotYet = next {
            inline::wait(|| traffic.has_more());
        }
        !matches!(next, Incoming::Over)
    }

    /// Processes a stretch on several threads, with the structure `O`. Returns whether there are more events.
    ///
    /// # Safety
    ///
    /// As for `run_stretches`.
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    unsafe fn run_parallel<O: Dispatch>(
        &mut self,
        traffic: &mut Traffic<'_, E>,
        how: StretchSettings<'_>,
    ) -> bool {
        traffic.begin_stretch(O::LABEL);
        // SAFETY: the contract of this function is that of `run_stretch`.
        unsafe { self.run_stretch::<O, _>(E::cases(), traffic, how) }
    }

    /// # Safety
    ///
    /// As for `run_stretches`.
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    unsafe fn run_stretch<O: Dispatch, C: Cases<E>>(
        &mut self,
        cases: C,
        traffic: &mut Traffic<'_, E>,
        how: StretchSettings<'_>,
    ) -> bool {
        let n_threads = how.max_helpers as usize + 1;
        let is_of = |state: &Box<dyn Any + Send>| state.is::<ParallelState<E, C, O>>();
        let is_this = |state: &&mut ParallelState<E, C, O>| state.n_threads == n_threads;
        let of = self.parallel_states.iter().position(is_of);
        let state = of.and_then(|of| self.parallel_states[of].downcast_mut());
        if state.filter(is_this).is_none() {
            self.parallel_states.retain(|state| !is_of(state));
            let new = ParallelState::<E, C, O>::new(cases, &self.stores, n_threads);
            self.parallel_states.push(Box::new(new));
        }
        let mut all = self.parallel_states.iter_mut();
        let state = all.find_map(|state| state.downcast_mut());
        let state: &mut ParallelState<E, C, O> =
            state.expect("this `ParallelState` was added above");
        // SAFETY: the resources are borrowed exclusively during this call: the contract of this function. `run` drops
        // the stretch before it returns or unwinds.
        let stretch = unsafe { ParallelStretch::new(state, traffic, &mut self.stores, how) };
        stretch.run(&mut self.selector)
    }
}
