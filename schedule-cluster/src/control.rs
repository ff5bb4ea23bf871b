//! A handle of a cluster, apart from its stream.

use core::fmt;
use std::sync::Arc;

use schedule::{BoxError, Resources};
use schedule_stream::internal::SentEvent;

use crate::executor::Shared;

/// Reads the state of a cluster, and observes its processes. Can be used while the stream is in a service.
pub struct ClusterControl<E: SentEvent> {
    shared: Shared<E>,
    resources: Arc<dyn Fn() -> Resources + Send + Sync>,
}

impl<E: SentEvent> Clone for ClusterControl<E> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
            resources: Arc::clone(&self.resources),
        }
    }
}

impl<E: SentEvent> ClusterControl<E> {
    pub(crate) fn new(
        shared: Shared<E>,
        resources: Box<dyn Fn() -> Resources + Send + Sync>,
    ) -> Self {
        Self {
            shared,
            resources: resources.into(),
        }
    }

    /// Returns the resources as they are after the last batch, with the records of all processes.
    ///
    /// Needs memory for all records. In a service, call [`pause`](schedule_stream::service::ServiceHandle::pause) before.
    ///
    /// # Errors
    ///
    /// Fails if events are in flight, or if the processes have failed and cannot be started again.
    pub fn collect(&self) -> Result<Resources, BoxError> {
        let mut resources = (self.resources)();
        self.shared.collect(&mut resources)?;
        Ok(resources)
    }

    /// Returns the ids of the worker processes, by index. Empty while they are started again.
    pub fn process_ids(&self) -> Vec<u32> {
        self.shared.status().ids.clone()
    }

    /// Returns how often all worker processes were started.
    pub fn n_generations(&self) -> u64 {
        self.shared.status().n_generations
    }

    /// Returns the reasons why earlier generations of worker processes have ended, the oldest first.
    pub fn failures(&self) -> Vec<String> {
        self.shared.status().failures.clone()
    }
}

impl<E: SentEvent> fmt::Debug for ClusterControl<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterControl").finish_non_exhaustive()
    }
}
