//! Reasons why a request has no answer, as HTTP responses.

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schedule_stream::durable::DurableError;
use schedule_stream::service::ServiceError;
use schedule_stream::{EventError, Position};

use crate::api::{Acceptance, ErrorReply};
use crate::ledger::{
    Deposit, Entry, Open, Payment, ReadAccount, ReadStatement, Rejected, Withdrawal,
};

/// The reason why a request has no answer.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    message: String,
    /// The place of the event in the journal, if it is there.
    position: Option<Position>,
    /// Only with the status 503.
    accepted: Option<Acceptance>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            position: None,
            accepted: None,
        }
    }

    /// `event` was rejected.
    pub(crate) fn rejected(
        event: &Entry,
        error: &EventError<Rejected>,
        position: Option<Position>,
    ) -> Self {
        let (status, message) = match error {
            EventError::Failed(error) => (StatusCode::CONFLICT, error.to_string()),
            EventError::Missing { parameter, .. } => {
                let account = account(event, parameter);
                let message =
                    format!("the account `{account}` is unknown: open it with `POST /accounts`");
                (StatusCode::NOT_FOUND, message)
            }
            EventError::Alias { .. } => {
                let message = "payer and payee are the same account";
                (StatusCode::CONFLICT, message.to_string())
            }
            other => (StatusCode::INTERNAL_SERVER_ERROR, other.to_string()),
        };
        Self {
            position,
            ..Self::new(status, message)
        }
    }
}

/// Returns the account that an event names for a parameter of its handler.
fn account<'e>(event: &'e Entry, parameter: &str) -> &'e str {
    match event {
        Entry::Pay(Payment { to, .. }) if parameter == "to" => to,
        Entry::Pay(Payment { from, .. }) => from,
        Entry::Open(Open { account })
        | Entry::Deposit(Deposit { account, .. })
        | Entry::Withdraw(Withdrawal { account, .. })
        | Entry::ReadAccount(ReadAccount(account))
        | Entry::ReadStatement(ReadStatement(account)) => account,
        Entry::WriteLine(event) => &event.account,
        Entry::ReadTotals(_) => "",
    }
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Self {
        let status = match &error {
            ServiceError::Refused(error) => match **error {
                DurableError::EventTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
                DurableError::InvalidKey { .. } => StatusCode::BAD_REQUEST,
                DurableError::KeyReused { .. } => StatusCode::UNPROCESSABLE_ENTITY,
                _ => StatusCode::SERVICE_UNAVAILABLE,
            },
            // A repeat has the same result.
            ServiceError::Applied { .. } | ServiceError::NotAQuery => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        let accepted = match &error {
            ServiceError::Closed | ServiceError::Refused(_) | ServiceError::Within => {
                Acceptance::No
            }
            _ => Acceptance::Unknown,
        };
        Self {
            accepted: (status == StatusCode::SERVICE_UNAVAILABLE).then_some(accepted),
            ..Self::new(status, error.to_string())
        }
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        let status = match rejection.status() {
            // `axum` has a status of its own for JSON with other fields.
            StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
            other => other,
        };
        Self::new(status, rejection.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        Self::new(rejection.status(), rejection.body_text())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self {
            status,
            message: error,
            position,
            accepted,
        } = self;
        let reply = ErrorReply {
            error,
            position,
            accepted,
        };
        (status, Json(reply)).into_response()
    }
}
