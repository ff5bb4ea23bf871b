//! What the observer of a stream sees of its traffic: stretches, measured handler calls, and reported batches.

use super::Traffic;
use crate::engine::batches::Batches;
use crate::observe::meter::ModeLabel;
use crate::program::event::Event;
use schedule::internal::Instant;

impl<E: Event> Traffic<'_, E> {
    /// Whether handlers are no longer called.
    #[inline(always)]
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Calls no more handlers.
    pub(crate) fn set_stopped(&mut self) {
        self.is_stopped = true;
        self.next_apart = 0;
    }

    /// Returns whether the last event that arrived is processed apart: its handler call is measured or has a span, or
    /// the stream is stopped. One comparison, because it is asked for each event.
    #[inline(always)]
    pub(crate) fn is_apart(&self) -> bool {
        self.n_arrived > self.next_apart
    }

    /// Takes one event after the other, and processes all apart.
    pub(crate) fn take_one_by_one(&mut self) {
        self.is_one_by_one = true;
        self.are_observed = true;
        self.next_apart = 0;
    }

    /// Returns whether one event arrives after the other has ended.
    pub(crate) fn is_one_by_one(&self) -> bool {
        self.is_one_by_one
    }

    /// Returns whether the event that is reported next has failed, so that its handler must not run.
    pub(crate) fn is_dead_letter(&self) -> bool {
        let Batches { dead_letters, .. } = &*self.batches;
        dead_letters.contains(&self.batches.reported())
    }

    /// Returns whether the handler call of an event that is processed apart is measured.
    pub(crate) fn takes_sample(&mut self) -> bool {
        let is_sample = self.n_arrived > self.next_sample;
        if is_sample {
            self.next_sample = self.observer.meter.sample_after(self.n_arrived);
            if !self.are_observed && !self.is_stopped {
                self.next_apart = self.next_sample;
            }
        }
        is_sample || self.observer.slow.threshold.is_some()
    }

    /// Begins to measure the handler call of the event that is reported next.
    pub(crate) fn start_handler(&mut self) {
        self.started = Some(Instant::now());
    }

    /// Ends the measurement of a handler call, if there is one. It counts if the handler was called.
    pub(crate) fn end_handler(&mut self, case: u16, is_called: bool) {
        if let Some(started) = self.started.take()
            && is_called
        {
            let duration = started.elapsed();
            let position = self.batches.reported();
            self.observer.note_handler::<E>(case, position, duration);
        }
    }

    /// Begins a stretch in this mode.
    pub(crate) fn begin_stretch(&mut self, mode: ModeLabel) {
        self.observer.meter.begin_stretch(mode, self.n_arrived);
    }

    /// Ends the call.
    pub(crate) fn end_call(&mut self) {
        let (n_arrived, next_sample) = (self.n_arrived, self.next_sample);
        self.observer.meter.end_call(n_arrived, next_sample);
    }

    /// Notes in the metrics that all batches before this one are reported.
    pub(super) fn measure_reported(&mut self, batch: u64) {
        if !cfg!(feature = "metrics") {
            return;
        }
        let meter = &mut self.observer.meter;
        // Without a recorder, the input still forgets them.
        let mut note = |batch, submitted| meter.note_wait(batch, submitted);
        self.ends.submissions(batch, &mut note);
        if meter.is_on() {
            let n_pending = self.batches.pending.len();
            let n_waiting = self.ends.n_waiting();
            meter.end_batches(batch, self.n_arrived, n_pending, n_waiting);
        }
    }
}
