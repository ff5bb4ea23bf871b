//! The methods that durable streams use.

use std::collections::VecDeque;

use super::{CallSettings, Stream, StreamError};
use crate::base::position::{BatchTime, Position};
use crate::engine::batches::{Batches, PendingEvent};
use crate::engine::ends::Ends;
use crate::program::event::{CaseOf, Cases, Event};
use crate::store::limits::EventLimits;
use schedule::internal::FirstPanic;
use schedule::{FailurePolicy, Resources};

impl<E: Event> Stream<E> {
    /// Processes events like [`run_call`](Self::run_call), with this time in place of that of the clock.
    pub(crate) fn run_call_at(
        &mut self,
        time: BatchTime,
        resources: &Resources,
        ends: &mut dyn Ends<E>,
        settings: CallSettings,
    ) -> Result<FirstPanic, StreamError> {
        // Also if it is before the last one: an earlier version may have written such times.
        self.set_time(time);
        let clock = core::mem::replace(&mut self.clock, Box::new(move || time));
        let processed = self.run_call(resources, ends, settings);
        self.clock = clock;
        processed
    }

    /// Returns whether the handler of an event writes nothing and returns no follow-up events.
    pub(crate) fn is_query(&self, event: &E) -> bool {
        let case = E::cases().visit(event, CaseOf);
        E::HANDLERS[case].is_query()
    }

    /// Returns the name of the handler of an event.
    pub(crate) fn handler_of(&self, event: &E) -> &'static str {
        E::HANDLERS[E::cases().visit(event, CaseOf)].name.base()
    }

    /// The numbering of events, for batches that run elsewhere, and the limits.
    pub(crate) fn numbering(&mut self) -> (&mut Batches<E>, &EventLimits) {
        (&mut self.batches, &self.limits)
    }

    /// The limits on the work that one event can cause.
    pub(crate) fn limits(&self) -> EventLimits {
        self.limits
    }

    /// Positions of events that do not stop the stream if they fail.
    pub(crate) fn skipped(&self) -> &[Position] {
        &self.batches.skipped
    }

    /// Adds positions of events that do not stop the stream if they fail.
    pub(crate) fn skip(&mut self, positions: impl IntoIterator<Item = Position>) {
        self.batches.skipped.extend(positions);
    }

    /// Lets the events at these positions of the next batch fail without a call of their handlers.
    pub(crate) fn set_dead_letters(&mut self, positions: Vec<Position>) {
        self.batches.dead_letters = positions;
    }

    /// Returns the number of follow-up events in the next batch. No event is in flight.
    pub(crate) fn n_due_follow_ups(&self) -> usize {
        self.batches.n_due_follow_ups(&self.limits)
    }

    /// The failure policy.
    pub(crate) fn failure_policy(&self) -> FailurePolicy {
        self.failure_policy
    }

    /// The follow-up events that have not arrived.
    pub(crate) fn pending(&self) -> &VecDeque<PendingEvent<E>> {
        &self.batches.pending
    }

    /// Replaces the follow-up events that have not arrived.
    pub(crate) fn set_pending(&mut self, pending: VecDeque<PendingEvent<E>>) {
        self.batches.pending = pending;
    }

    /// Continues with this batch.
    pub(crate) fn go_to_batch(&mut self, batch: u64) {
        self.batches.go_to(Position::new(batch, 0));
    }

    /// Sets the time of the last batch.
    pub(crate) fn set_time(&mut self, time: BatchTime) {
        self.batches.set_time(time);
    }

    /// Returns the time of the last batch.
    pub(crate) fn time(&self) -> BatchTime {
        self.batches.time()
    }
}
