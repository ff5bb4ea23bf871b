//! Errors of requests to a service.

use core::fmt;
use std::sync::Arc;

use crate::durable::DurableError;

/// The reason why a request has no answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServiceError {
    /// The service is closed. The event was not accepted.
    Closed,
    /// The event cannot be saved or is too large, or the stream is stopped. The event was not accepted.
    Refused(Arc<DurableError>),
    /// The event is not a query: its handler writes, or may return follow-up events. It was not accepted.
    NotAQuery,
    /// The service ended before it could answer. The event may have been accepted: recovery decides.
    Unknown,
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the service is closed; the event was not accepted"),
            Self::Refused(error) => write!(f, "the event was not accepted: {error}"),
            Self::NotAQuery => f.write_str(
                "the event is not a query, because its handler can change state or return follow-up events: use `submit`",
            ),
            Self::Unknown => f.write_str(
                "the service ended before it could answer, and the event may have been accepted: ask again after the recovery",
            ),
        }
    }
}

impl std::error::Error for ServiceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(error) => Some(error),
            _ => None,
        }
    }
}
