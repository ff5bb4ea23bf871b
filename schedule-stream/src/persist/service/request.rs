//! Requests to the thread of a service.

use core::fmt;

use super::error::ServiceError;
use crate::observe::meter::SubmitTime;
use crate::persist::durable::DurableEvent;
use crate::program::outcome::{EventError, Outcome};

/// The sender of an answer.
pub(super) type Reply<T> = oneshot::Sender<Result<T, ServiceError>>;

/// The answer to a query.
#[non_exhaustive]
pub struct QueryAnswer<E: DurableEvent> {
    /// The number of the batch after which the query was answered. It is synced.
    pub batch: u64,
    /// The answer of the handler, or the reason why there is none.
    pub result: Result<E::Answer, EventError<E::Error>>,
}

impl<E: DurableEvent> fmt::Debug for QueryAnswer<E>
where
    E::Answer: fmt::Debug,
    E::Error: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryAnswer")
            .field("batch", &self.batch)
            .field("result", &self.result)
            .finish()
    }
}

/// The sender of the outcome of an event.
pub(super) struct EventReply<E: DurableEvent> {
    pub(super) reply: Reply<Outcome<E>>,
    /// When the event was submitted, if this is measured.
    pub(super) submitted: Option<SubmitTime>,
}

/// A request. Requests are served in order.
pub(super) enum ServiceRequest<E: DurableEvent> {
    /// An event, and its idempotency key.
    Event(E, Option<Box<str>>, EventReply<E>),
    Query(E, Reply<QueryAnswer<E>>),
    /// Process at most this number of batches of follow-up events.
    Drain(u64, Reply<usize>),
    Snapshot(Reply<u64>),
    /// Wait until the sender of the second part is dropped.
    Pause(Reply<()>, oneshot::Receiver<()>),
}
