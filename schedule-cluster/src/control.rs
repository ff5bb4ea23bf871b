//! A handle of a cluster, apart from its stream.

use core::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use schedule::{BoxError, Resources};
use schedule_stream::internal::SentEvent;

use crate::executor::Shared;
use crate::supervisor::{Status, Supervisor};

/// Reads the state of a cluster, and observes its processes. Can be used while the stream is in a service.
///
/// The worker processes end with the stream, even if handles still exist.
pub struct ClusterControl<E: SentEvent> {
    supervisor: Weak<Mutex<Supervisor<E>>>,
    status: Arc<Mutex<Status>>,
    resources: Arc<dyn Fn() -> Resources + Send + Sync>,
}

impl<E: SentEvent> Clone for ClusterControl<E> {
    fn clone(&self) -> Self {
        Self {
            supervisor: Weak::clone(&self.supervisor),
            status: Arc::clone(&self.status),
            resources: Arc::clone(&self.resources),
        }
    }
}

impl<E: SentEvent> ClusterControl<E> {
    pub(crate) fn new(
        shared: &Shared<E>,
        resources: Box<dyn Fn() -> Resources + Send + Sync>,
    ) -> Self {
        Self {
            supervisor: Arc::downgrade(&shared.supervisor),
            status: Arc::clone(&shared.status),
            resources: resources.into(),
        }
    }

    /// Returns the resources as they are after the last batch, with the records of all processes.
    ///
    /// Needs memory for all records. In a service, call [`pause`](schedule_stream::service::ServiceHandle::pause) before. After
    /// [`shutdown`](schedule_stream::service::Service::shutdown), keep the stream that it returns until the resources are collected.
    ///
    /// # Errors
    ///
    /// Fails if events are in flight, if the processes have failed and cannot be started again, or if the stream was dropped.
    pub fn collect(&self) -> Result<Resources, BoxError> {
        let supervisor = self
            .supervisor
            .upgrade()
            .ok_or("the worker processes have ended: collect before the stream is dropped")?;
        let mut resources = (self.resources)();
        let mut supervisor = supervisor.lock().unwrap_or_else(PoisonError::into_inner);
        supervisor.collect(&mut resources)?;
        Ok(resources)
    }

    /// Does not wait for operations of the supervisor.
    fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the ids of the worker processes, by index. Empty while they are started again, and after the end
    /// of the stream.
    pub fn process_ids(&self) -> Vec<u32> {
        self.status().ids.clone()
    }

    /// Returns the number of attempts to start all worker processes.
    pub fn n_generations(&self) -> u64 {
        self.status().n_generations
    }

    /// Returns how often worker processes have failed, or could not save their state above
    /// [`Cluster::max_kept_bytes`](crate::Cluster::max_kept_bytes). A snapshot that cannot be written is not counted: its error is
    /// returned.
    pub fn n_failures(&self) -> u64 {
        self.status().n_failures
    }

    /// Returns the reasons of the last 100 failures, the oldest first.
    pub fn failures(&self) -> Vec<String> {
        self.status().failures.iter().cloned().collect()
    }
}

impl<E: SentEvent> fmt::Debug for ClusterControl<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterControl").finish_non_exhaustive()
    }
}
