//! The stream of a cluster.

use core::fmt;

use schedule_stream::durable::{DeadLetter, DurableError, DurableStream, Recovery};
use schedule_stream::internal::{SentEvent, set_repairs};
use schedule_stream::journal::Recovered;
use schedule_stream::service::{Service, ServiceSettings};
use schedule_stream::{BatchTime, Outcome};

use crate::control::ClusterControl;

/// A durable stream whose events are processed by the worker processes of a cluster.
pub struct ClusterStream<E: SentEvent> {
    stream: DurableStream<E>,
    control: ClusterControl<E>,
}

impl<E: SentEvent> ClusterStream<E> {
    pub(crate) fn new(stream: DurableStream<E>, control: ClusterControl<E>) -> Self {
        Self { stream, control }
    }

    pub(crate) fn set_repairs(&mut self, repairs: Recovered) {
        set_repairs(&mut self.stream, repairs);
    }

    /// Returns a handle that reads the state and observes the processes.
    pub fn control(&self) -> ClusterControl<E> {
        self.control.clone()
    }

    /// Returns what the recovery has found.
    pub fn recovery(&self) -> &Recovery {
        self.stream.recovery()
    }

    /// Returns the dead letters: see [`DurableStream::dead_letters`]. In a cluster, an event that ends worker processes becomes one while the
    /// cluster runs.
    pub fn dead_letters(&self) -> Vec<DeadLetter> {
        self.stream.dead_letters()
    }

    /// Returns the number of the next batch.
    pub fn next_batch(&self) -> u64 {
        self.stream.next_batch()
    }

    /// Returns the number of follow-up events that have not arrived.
    pub fn n_pending(&self) -> usize {
        self.stream.n_pending()
    }

    /// Sets the clock: see [`DurableStream::set_clock`].
    pub fn set_clock(&mut self, clock: impl FnMut() -> BatchTime + Send + 'static) {
        self.stream.set_clock(clock);
    }

    /// Processes one batch: see [`DurableStream::process_batch`].
    ///
    /// # Errors
    ///
    /// As for that, and if the processes have failed and cannot be started again.
    pub fn process_batch(
        &mut self,
        events: impl IntoIterator<Item = E>,
        outcomes: impl FnMut(Outcome<E>),
    ) -> Result<(), DurableError> {
        self.stream.process_batch(events, outcomes)
    }

    /// Processes all events: see [`DurableStream::process`].
    ///
    /// # Errors
    ///
    /// As for [`process_batch`](Self::process_batch).
    pub fn process(
        &mut self,
        events: impl IntoIterator<Item = E>,
        outcomes: impl FnMut(Outcome<E>),
    ) -> Result<(), DurableError> {
        self.stream.process(events, outcomes)
    }

    /// Processes pending follow-up events: see [`DurableStream::drain`].
    ///
    /// # Errors
    ///
    /// As for [`process_batch`](Self::process_batch).
    pub fn drain(
        &mut self,
        max_batches: u64,
        outcomes: impl FnMut(Outcome<E>),
    ) -> Result<usize, DurableError> {
        self.stream.drain(max_batches, outcomes)
    }

    /// Saves the state: see [`DurableStream::snapshot`]. Only buckets that have changed are written.
    ///
    /// # Errors
    ///
    /// As for that, and if the processes have failed and cannot be started again.
    pub fn snapshot(&mut self) -> Result<u64, DurableError> {
        self.stream.snapshot()
    }

    /// Moves the stream to a service: see [`DurableStream::serve`].
    pub fn serve(self) -> Service<E> {
        self.stream.serve()
    }

    /// Moves the stream to a service: see [`DurableStream::serve_with`].
    pub fn serve_with(self, settings: ServiceSettings<E>) -> Service<E> {
        self.stream.serve_with(settings)
    }
}

impl<E: SentEvent> fmt::Debug for ClusterStream<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterStream")
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}
