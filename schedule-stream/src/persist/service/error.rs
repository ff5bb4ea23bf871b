//! Errors of requests to a service.

use core::fmt;
use std::sync::Arc;

use crate::base::position::Position;
use crate::persist::durable::DurableError;

/// The reason why a request has no answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServiceError {
    /// The service is closed. The request was not accepted.
    Closed,
    /// The request was not accepted: the event cannot be saved or is too large, its key is invalid or belongs to another event, the
    /// stream is stopped, or the snapshot failed.
    Refused(Arc<DurableError>),
    /// The event was applied before, because an event with its idempotency key was, but its answer is not known: it could not be
    /// serialized, or the type of the answer has changed since then. Read the state with a query.
    Applied {
        /// The position of the event.
        position: Position,
        /// The reason why the answer is not known.
        error: Arc<DurableError>,
    },
    /// The event is not a query: its handler writes, or may return follow-up events. It was not accepted.
    NotAQuery,
    /// This thread belongs to the service, or calls a handler of it, so it cannot wait for the service. The request was not
    /// accepted.
    Within,
    /// The service ended before it could answer, or the failure policy has stopped the stream at an earlier event of the batch.
    /// The event may be in the journal: recovery decides.
    Unknown,
}

impl ServiceError {
    /// The error of an event that was not added to a batch.
    pub(super) fn of_event(error: DurableError) -> Self {
        let (applied_at, error) = (error.applied_at(), Arc::new(error));
        match applied_at {
            Some(position) => Self::Applied { position, error },
            None => Self::Refused(error),
        }
    }
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the service is closed; the request was not accepted"),
            Self::Refused(error) => write!(f, "the request failed: {error}"),
            Self::Applied { error, .. } => error.fmt(f),
            Self::NotAQuery => f.write_str(
                "the event is not a query, because its handler can change state or return follow-up events: use `submit`",
            ),
            Self::Within => f.write_str(
                "cannot wait for a service within its own threads: return `FollowUps` from the handler, or call `try_submit`",
            ),
            Self::Unknown => f.write_str(
                "the service ended or was stopped before it could answer, and the event may be in the journal: recovery decides",
            ),
        }
    }
}

impl std::error::Error for ServiceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(error) | Self::Applied { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// The reason why [`ServiceHandle::try_submit`](super::ServiceHandle::try_submit) did not send an event. Contains the event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TrySubmitError<E> {
    /// Too many requests wait.
    Full(E),
    /// The service is closed.
    Closed(E),
}

impl<E> TrySubmitError<E> {
    /// Returns the event.
    pub fn into_event(self) -> E {
        match self {
            TrySubmitError::Full(event) | TrySubmitError::Closed(event) => event,
        }
    }
}

impl<E> fmt::Display for TrySubmitError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrySubmitError::Full(_) => "too many requests wait: submit the event again later",
            TrySubmitError::Closed(_) => "the service is closed",
        })
    }
}

impl<E> fmt::Debug for TrySubmitError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrySubmitError::Full(_) => "Full(..)",
            TrySubmitError::Closed(_) => "Closed(..)",
        })
    }
}

impl<E> std::error::Error for TrySubmitError<E> {}
