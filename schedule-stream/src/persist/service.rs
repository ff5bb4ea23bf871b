//! Services: a durable stream on a thread of its own, with handles for any number of threads and tasks.
//!
//! A [`Service`] takes events from its [`ServiceHandle`]s, divides them into batches, and answers each event after its
//! batch is synced. The next batch is processed while the previous one is synced. Handles work on plain threads and on tasks of any
//! executor:
//!
//! ```
//! use schedule::prelude::*;
//! use schedule::snapshot::Snapshot;
//! use schedule_stream::durable::Durable;
//! use schedule_stream::journal::{MemoryJournal, MemorySnapshots};
//! use schedule_stream::prelude::*;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Resource, Snapshot, Serialize, Deserialize, Default)]
//! #[snapshot(name = "sum")]
//! struct Sum(u64);
//!
//! #[derive(Event, Snapshot, Serialize, Deserialize)]
//! #[event(add, answer = u64)]
//! #[snapshot(name = "add")]
//! struct Add(u64);
//!
//! #[handler]
//! fn add(event: &Add, sum: &mut Sum) -> u64 {
//!     sum.0 += event.0;
//!     sum.0
//! }
//!
//! let mut resources = Resources::new();
//! resources.insert_default::<Sum>();
//! // `recover` takes a directory in place of the journal and the snapshots.
//! let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
//! let durable = Durable::<Add>::new("counter", 1).state::<Sum>();
//! let stream = durable.recover_from(Box::new(journal), Box::new(snapshots), resources)?;
//!
//! let service = stream.serve();
//! let handle = service.handle();
//! std::thread::scope(|scope| {
//!     for _ in 0..4 {
//!         scope.spawn(|| handle.submit_blocking(Add(1)).unwrap());
//!     }
//! });
//! // In a task: `handle.submit(Add(1)).await`.
//! let outcome = handle.submit_blocking(Add(1))?;
//! assert_eq!(outcome.result.unwrap(), 5);
//!
//! let stream = service.shutdown()?;
//! assert_eq!(stream.resources().get::<Sum>().unwrap().0, 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod comparing;
mod error;
mod handle;
mod message;
mod own_threads;
mod reports;
mod request;
mod retries;
mod settings;
mod snapshots;
mod worker;
mod writer;

use core::fmt;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

pub use self::error::{ServiceError, TrySubmitError};
pub use self::handle::{PauseGuard, ServiceHandle, Submitted};
use self::own_threads::OwnThreads;
pub use self::reports::BackgroundError;
use self::reports::ServiceReports;
pub use self::request::QueryAnswer;
pub use self::settings::ServiceSettings;
use self::worker::Worker;
use crate::persist::durable::stream::StreamParts;
use crate::persist::durable::{DurableError, DurableEvent, DurableStream};
use schedule::internal::FirstPanic;

impl<E: DurableEvent> DurableStream<E> {
    /// Moves the stream to a thread of its own, with the default settings.
    pub fn serve(self) -> Service<E> {
        self.serve_with(ServiceSettings::new())
    }

    /// Moves the stream to a thread of its own.
    ///
    /// A stream that is closed after an error gives a service that accepts nothing.
    ///
    /// With the feature `metrics`, the service uses the recorder of the thread that calls this function.
    pub fn serve_with(self, mut settings: ServiceSettings<E>) -> Service<E> {
        let (sender, requests) = async_channel::bounded(settings.capacity);
        let own_threads = OwnThreads::new();
        let reports = ServiceReports::new(self.name(), settings.errors.take());
        let dead_letters = self.dead_letter_list();
        let is_metered = reports.meter.is_on();
        let handle = ServiceHandle::new(sender, own_threads, dead_letters, is_metered);
        let thread = match self.into_parts() {
            None => {
                handle.close();
                None
            }
            Some(mut parts) => {
                parts.engine.enter_service(own_threads.id());
                let closes = handle.clone();
                let name = "schedule-service".to_string();
                let spawned = thread::Builder::new().name(name).spawn(move || {
                    let ended = Worker::new(parts, settings, requests, own_threads, reports).run();
                    closes.close();
                    ended
                });
                Some(spawned.expect("a thread can be started"))
            }
        };
        Service {
            handle,
            own_threads,
            thread,
        }
    }
}

/// Starts a thread of a service.
fn spawn<T: Send + 'static>(name: &str, run: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let spawned = thread::Builder::new().name(name.to_string()).spawn(run);
    spawned.expect("a thread can be started")
}

/// The result of the thread of a service.
type Ended<E> = Result<StreamParts<E>, Arc<DurableError>>;

/// A durable stream on a thread of its own. If it is dropped, it processes all accepted events first, as
/// [`shutdown`](Self::shutdown). A drop on a thread of the service only closes it.
pub struct Service<E: DurableEvent> {
    handle: ServiceHandle<E>,
    own_threads: OwnThreads,
    /// `None` if the stream was closed before.
    thread: Option<JoinHandle<Ended<E>>>,
}

impl<E: DurableEvent> Service<E> {
    /// Returns a handle. Handles can be cloned and sent to other threads.
    pub fn handle(&self) -> ServiceHandle<E> {
        self.handle.clone()
    }

    /// Closes the service, processes all events that it has accepted, and returns the stream. Follow-up events may be pending:
    /// [`ServiceHandle::drain`] processes them before.
    ///
    /// # Errors
    ///
    /// Fails if the journal could not be written. The stream must be recovered then. Fails with [`DurableError::Within`] on a thread
    /// of the service, for example in a handler: then the service is closed, and processes what it has accepted.
    ///
    /// # Panics
    ///
    /// Continues a panic of user code on the thread of the service, for example of the outcome callback.
    pub fn shutdown(mut self) -> Result<DurableStream<E>, Arc<DurableError>> {
        self.handle.close();
        let Some(thread) = self.thread.take() else {
            return Err(Arc::new(DurableError::Closed));
        };
        if self.own_threads.has_this() {
            return Err(Arc::new(DurableError::Within));
        }
        match thread.join() {
            Ok(ended) => ended.map(DurableStream::from_parts),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl<E: DurableEvent> Drop for Service<E> {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take()
            && !self.own_threads.has_this()
            && let Err(panic) = thread.join()
        {
            FirstPanic::of(panic).resume_from_drop();
        }
    }
}

impl<E: DurableEvent> fmt::Debug for Service<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("handle", &self.handle)
            .finish_non_exhaustive()
    }
}
