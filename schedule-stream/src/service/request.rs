//! Requests to the thread of a service.

use super::error::ServiceError;
use crate::durable::DurableEvent;
use crate::outcome::Outcome;

/// The sender of an answer.
pub(super) type Reply<T> = oneshot::Sender<Result<T, ServiceError>>;

/// A request. Requests are served in order.
pub(super) enum ServiceRequest<E: DurableEvent> {
    Event(E, Reply<Outcome<E>>),
    Query(E, Reply<(u64, Outcome<E>)>),
    /// Process at most this number of batches of follow-up events.
    Drain(u64, Reply<usize>),
    Snapshot(Reply<u64>),
    /// Wait until the sender of the second part is dropped.
    Pause(Reply<()>, oneshot::Receiver<()>),
}
