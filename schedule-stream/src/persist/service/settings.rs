//! Settings of a service.

use core::fmt;
use std::sync::Arc;

use super::comparing::CompareSetting;
use super::reports::{BackgroundError, ErrorCallback};
use crate::persist::durable::{Comparison, DurableError, DurableEvent};
use crate::program::outcome::Outcome;

/// Settings of a [`Service`](super::Service).
pub struct ServiceSettings<E: DurableEvent> {
    pub(super) capacity: usize,
    pub(super) snapshot_every: Option<u64>,
    pub(super) outcomes: Option<OutcomeListener<E>>,
    pub(super) errors: Option<ErrorCallback>,
    pub(super) compare: Option<CompareSetting>,
}

/// See [`ServiceSettings::outcomes`].
pub(super) type OutcomeListener<E> = Box<dyn FnMut(&Outcome<E>) + Send>;

impl<E: DurableEvent> ServiceSettings<E> {
    /// Creates the default settings: up to 8,192 requests wait, and snapshots are taken only on request.
    pub fn new() -> Self {
        Self {
            capacity: 8192,
            snapshot_every: None,
            outcomes: None,
            errors: None,
            compare: None,
        }
    }

    /// Sets the maximum number of requests that wait, at least 1. Further requests wait for room.
    pub fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity.max(1);
        self
    }

    /// Takes a snapshot every `n_batches` batches, at least 1. It is written on a separate thread, so only the saving of the
    /// state delays events. While a snapshot is written, no other one is taken.
    ///
    /// If such a snapshot fails, for example on a full disk, the service continues. After each failure in a row, it waits for twice as
    /// many batches before the next attempt, and at most for `64 * n_batches`. Each failure that makes the wait longer is reported to
    /// [`errors`](Self::errors), and so is the first snapshot that is written again. The metric `snapshot_errors_total` counts all
    /// failures.
    pub fn snapshot_every(mut self, n_batches: u64) -> Self {
        self.snapshot_every = Some(n_batches.max(1));
        self
    }

    /// Compares the two newest snapshots after every `n_snapshots` snapshots, at least 1, on a thread of its own. So a handler that is not
    /// deterministic is found while the service runs, also if only the state shows it. A difference is reported to
    /// [`errors`](Self::errors), and the service continues.
    ///
    /// `compare` calls [`Durable::compare`](crate::durable::Durable::compare) with the directory of this service and resources of its own:
    /// `move || program().compare(&directory, resources())`. It reads the files, and needs the memory of a second state and the time of
    /// a replay. If it takes longer than the service needs for the next snapshots, the service may remove files that it
    /// reads: that is reported, too. A shutdown waits for it.
    pub fn compare_snapshots(
        mut self,
        n_snapshots: u64,
        compare: impl FnMut() -> Result<Option<Comparison>, DurableError> + Send + 'static,
    ) -> Self {
        self.compare = Some(CompareSetting {
            n_snapshots: n_snapshots.max(1),
            compare: Box::new(compare),
        });
        self
    }

    /// Sets a function that is called with each outcome, in order of positions, also with those of follow-up events. It is
    /// called after the batch is synced, on the thread that writes the journal, before the answer is sent. It cannot wait for
    /// an answer of the same service, because this thread sends the answers: such a request fails with
    /// [`ServiceError::Within`](super::ServiceError::Within). If it panics, the service ends.
    pub fn outcomes(mut self, outcomes: impl FnMut(&Outcome<E>) + Send + 'static) -> Self {
        self.outcomes = Some(Box::new(outcomes));
        self
    }

    /// Sets a function that is called with errors that no client waits for: of snapshots that the service takes by itself, of their
    /// comparison, and of the journal, which end the service. It is called on a thread of the service. If it panics, the panic is ignored.
    ///
    /// With the feature `tracing`, each such error is also an event of level `WARN`.
    pub fn errors(mut self, errors: impl Fn(BackgroundError<'_>) + Send + Sync + 'static) -> Self {
        self.errors = Some(Arc::new(errors));
        self
    }
}

impl<E: DurableEvent> Default for ServiceSettings<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: DurableEvent> fmt::Debug for ServiceSettings<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceSettings")
            .field("capacity", &self.capacity)
            .field("snapshot_every", &self.snapshot_every)
            .finish_non_exhaustive()
    }
}
