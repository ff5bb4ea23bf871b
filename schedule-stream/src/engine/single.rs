//! Single events outside a stream: their keys, and the call of a handler at a given position.
//!
//! A cluster uses this part of the engine in each of its processes. It decides itself when an event may run.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::base::footprint::Footprint;
use crate::base::position::EventInfo;
use crate::program::event::{CaseOf, Cases, Event, Handled, OnlyEvent, ReportKeys};
use crate::program::key_lookup::KeyVisitor;
use crate::program::outcome::EventError;
use crate::store::limits::EventLimits;
use crate::store::reason::Reason;
use crate::store::stores::{MOST_DOUBTS, Stores};
use schedule::Resources;
use schedule::internal::{address, drop_caught};

/// Names and runs single events on its own resources.
pub struct EventRunner<E: Event> {
    resources: Resources,
    stores: Stores,
    footprint: Footprint,
    limits: EventLimits,
    /// Whether the addresses in `stores` are those of `resources`.
    is_found: bool,
    /// How often events named a place at which they may insert or remove a record, since records were last counted.
    n_doubts: u32,
    event: core::marker::PhantomData<fn(E)>,
}

/// The result of an event, and the follow-up events that its handler returned.
pub struct EventEnd<E: Event> {
    /// See [`Outcome::result`](crate::Outcome::result).
    pub result: Result<E::Answer, EventError<E::Error>>,
    /// The follow-up events, in order.
    pub follow_ups: Vec<E>,
}

impl<E: Event> EventRunner<E> {
    /// Creates a runner for these resources.
    pub fn new(resources: Resources, limits: EventLimits) -> Self {
        let mut stores = Stores::default();
        E::cases().stores(&mut stores);
        stores.set_max_set_keys(limits.max_set_keys);
        Self {
            resources,
            stores,
            footprint: Footprint::new(),
            limits,
            is_found: false,
            n_doubts: 0,
            event: core::marker::PhantomData,
        }
    }

    /// Returns the resources.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// Returns the resources, mutably.
    pub fn resources_mut(&mut self) -> &mut Resources {
        self.count_records();
        self.is_found = false;
        &mut self.resources
    }

    /// Returns the index of the handler of an event in [`Event::HANDLERS`].
    pub fn case(&self, event: &E) -> usize {
        E::cases().visit(event, CaseOf)
    }

    /// Reports the keys of an event, in the order of the arguments of its handler. Returns whether all were reported.
    /// Otherwise a key expression has panicked, or a set is too large. Then the handler does not run, whatever the records
    /// are, and [`run`](Self::run) returns the reason.
    pub fn report_keys(&mut self, event: &E, visitor: &mut dyn KeyVisitor) -> bool {
        let (stores, footprint) = (&self.stores.cases, &mut self.footprint);
        let reported = catch_unwind(AssertUnwindSafe(|| {
            let visitor = ReportKeys {
                stores,
                footprint,
                visitor,
            };
            E::cases().visit(event, visitor)
        }));
        match reported {
            Ok(is_complete) => is_complete,
            Err(panic) => {
                drop_caught(panic);
                false
            }
        }
    }

    /// Counts the records that events have inserted and removed. Before that, iterators of the stores do not see the changes.
    #[expect(unsafe_code, reason = "no event runs")]
    pub fn count_records(&mut self) {
        self.n_doubts = 0;
        if self.is_found {
            // SAFETY: `self` owns the resources in which the stores were found, and no event runs.
            unsafe { self.stores.count_records() };
        }
    }

    /// Runs the handler of an event. If it returns too many follow-up events, it has failed.
    ///
    /// A missing resource is a missing parameter of the event.
    #[expect(unsafe_code, reason = "runs one event after the other")]
    pub fn run(&mut self, info: EventInfo, event: &E) -> EventEnd<E> {
        if !self.is_found {
            let resources = &self.resources;
            self.stores
                .find(|want, store| *store = address(resources, &want.resource));
            self.is_found = true;
        }
        let (stores, footprint) = (&self.stores, &mut self.footprint);
        let handled = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: `self` owns the resources, and is borrowed exclusively. The stores were found in them, and
            // `resources_mut` resets `is_found` before they can change. The previous event has ended.
            let only_event = unsafe { OnlyEvent::new(stores, footprint, &info) };
            E::cases().visit(event, only_event)
        }));
        let (case, handled) = handled.unwrap_or_else(|panic| {
            let reason = Reason::panicked(panic, self.footprint.is_called.get());
            (self.footprint.case, Err(reason))
        });
        let n_doubts = u32::from(self.footprint.n_doubts);
        self.n_doubts = self.n_doubts.saturating_add(n_doubts);
        if self.n_doubts >= MOST_DOUBTS {
            self.count_records();
        }
        match handled {
            Ok(handled) if handled.exceeds(info.max_follow_ups) => {
                handled.forget();
                let limit = self.limits.exceeded(info.max_follow_ups);
                EventEnd {
                    result: Err(EventError::new::<E>(
                        Reason::Exceeds(limit),
                        case,
                        &self.limits,
                    )),
                    follow_ups: Vec::new(),
                }
            }
            Ok(Handled { result, next }) => EventEnd {
                result: result.map_err(EventError::Failed),
                follow_ups: next.map_or_else(Vec::new, Vec::from),
            },
            Err(reason) => EventEnd {
                result: Err(EventError::new::<E>(reason, case, &self.limits)),
                follow_ups: Vec::new(),
            },
        }
    }
}

impl<E: Event> fmt::Debug for EventEnd<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventEnd")
            .field("n_follow_ups", &self.follow_ups.len())
            .finish_non_exhaustive()
    }
}

impl<E: Event> fmt::Debug for EventRunner<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventRunner").finish_non_exhaustive()
    }
}
