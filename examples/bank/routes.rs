//! The routes of the bank. Each request becomes an event or a query of the service.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::routing::{get, post};
use axum::{Json, Router};
use schedule_stream::Outcome;
use schedule_stream::service::{ServiceError, ServiceHandle};
use serde::de::DeserializeOwned;
use tokio::sync::Notify;

use crate::api::{
    Accepted, AccountReply, IDEMPOTENCY_KEY, StatementReply, StatusReply, TotalsReply,
};
use crate::ledger::{
    Answer, Deposit, Entry, Open, Payment, ReadAccount, ReadStatement, ReadTotals, Withdrawal,
};
use crate::memory;
use crate::problem::Problem;

/// Maximum size of a body, in bytes.
pub(crate) const MAX_BODY_BYTES: usize = 1024;
const MAX_NAME_BYTES: usize = 64;
const MAX_MEMO_BYTES: usize = 140;

/// The state of all routes.
#[derive(Clone, Debug)]
pub(crate) struct Teller {
    handle: ServiceHandle<Entry>,
    /// Notified when the service has ended.
    ended: Arc<Notify>,
}

impl Teller {
    pub(crate) fn new(handle: ServiceHandle<Entry>, ended: Arc<Notify>) -> Self {
        Self { handle, ended }
    }

    /// Submits an event, or repeats one that had the same key. Returns when it is synced.
    async fn submit(
        &self,
        IdempotencyKey(key): IdempotencyKey,
        event: impl Into<Entry>,
    ) -> Result<Json<Accepted>, Problem> {
        let event = event.into();
        let submitted = match key {
            Some(key) => self.handle.submit_with_key(key, event).await,
            None => self.handle.submit(event).await,
        };
        let outcome = submitted.map_err(|error| self.problem(error))?;
        let Outcome {
            position,
            event,
            result,
            ..
        } = outcome;
        match result {
            Ok(Answer::Balance(balance_cents)) => Ok(Json(Accepted {
                position,
                balance_cents,
            })),
            Ok(other) => Err(unexpected(&other)),
            Err(error) => Err(Problem::rejected(&event, &error, Some(position))),
        }
    }

    /// Asks a query. Returns the answer, and the last batch that it includes.
    async fn query(&self, query: Entry) -> Result<(Answer, u64), Problem> {
        let asked = self.handle.query(query.clone()).await;
        let answer = asked.map_err(|error| self.problem(error))?;
        match answer.result {
            Ok(result) => Ok((result, answer.batch)),
            Err(error) => Err(Problem::rejected(&query, &error, None)),
        }
    }

    fn problem(&self, error: ServiceError) -> Problem {
        // The service ends when the journal cannot be written. Then the process ends too, and a restart recovers.
        if let ServiceError::Closed | ServiceError::Unknown = error {
            self.ended.notify_one();
        }
        Problem::from(error)
    }
}

fn unexpected(answer: &Answer) -> Problem {
    let message = format!("unexpected answer: {answer:?}");
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, message)
}

pub(crate) fn routes(teller: Teller) -> Router {
    Router::new()
        .route("/accounts", post(open))
        .route("/accounts/{account}", get(account))
        .route("/accounts/{account}/statement", get(statement))
        .route("/deposits", post(deposit))
        .route("/withdrawals", post(withdraw))
        .route("/payments", post(pay))
        .route("/totals", get(totals))
        .route("/status", get(status))
        .fallback(unknown_path)
        .method_not_allowed_fallback(other_method)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(teller)
}

/// A body of JSON. A body that cannot be read is a [`Problem`].
struct Body<T>(T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let Json(body) = Json::from_request(request, state).await?;
        Ok(Self(body))
    }
}

/// The account in a path. A path that cannot be decoded is a [`Problem`].
struct AccountPath(String);

impl<S: Send + Sync> FromRequestParts<S> for AccountPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(account) = Path::from_request_parts(parts, state).await?;
        Ok(Self(account))
    }
}

/// The header `Idempotency-Key`. With it, a client can repeat a request without an answer: the event is handled once.
struct IdempotencyKey(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Some(value) = parts.headers.get(IDEMPOTENCY_KEY) else {
            return Ok(Self(None));
        };
        match value.to_str() {
            Ok(key) => Ok(Self(Some(key.to_string()))),
            Err(_) => {
                let message = format!("the header `{IDEMPOTENCY_KEY}` must be visible ASCII");
                Err(Problem::new(StatusCode::BAD_REQUEST, message))
            }
        }
    }
}

async fn open(
    State(teller): State<Teller>,
    key: IdempotencyKey,
    Body(event): Body<Open>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    check_name(&event.account)?;
    let accepted = teller.submit(key, event).await?;
    Ok((StatusCode::CREATED, accepted))
}

async fn deposit(
    State(teller): State<Teller>,
    key: IdempotencyKey,
    Body(event): Body<Deposit>,
) -> Result<Json<Accepted>, Problem> {
    check_memo(&event.memo)?;
    teller.submit(key, event).await
}

async fn withdraw(
    State(teller): State<Teller>,
    key: IdempotencyKey,
    Body(event): Body<Withdrawal>,
) -> Result<Json<Accepted>, Problem> {
    check_memo(&event.memo)?;
    teller.submit(key, event).await
}

async fn pay(
    State(teller): State<Teller>,
    key: IdempotencyKey,
    Body(event): Body<Payment>,
) -> Result<Json<Accepted>, Problem> {
    check_memo(&event.memo)?;
    teller.submit(key, event).await
}

async fn account(
    State(teller): State<Teller>,
    AccountPath(account): AccountPath,
) -> Result<Json<AccountReply>, Problem> {
    let query = Entry::ReadAccount(ReadAccount(account.clone()));
    match teller.query(query).await? {
        (Answer::Balance(balance_cents), batch) => Ok(Json(AccountReply {
            account,
            balance_cents,
            batch,
        })),
        (other, _) => Err(unexpected(&other)),
    }
}

async fn statement(
    State(teller): State<Teller>,
    AccountPath(account): AccountPath,
) -> Result<Json<StatementReply>, Problem> {
    let query = Entry::ReadStatement(ReadStatement(account.clone()));
    match teller.query(query).await? {
        (Answer::Statement(statement), batch) => Ok(Json(StatementReply {
            account,
            statement,
            batch,
        })),
        (other, _) => Err(unexpected(&other)),
    }
}

async fn totals(State(teller): State<Teller>) -> Result<Json<TotalsReply>, Problem> {
    match teller.query(Entry::ReadTotals(ReadTotals)).await? {
        (Answer::Totals(totals), batch) => Ok(Json(TotalsReply { totals, batch })),
        (other, _) => Err(unexpected(&other)),
    }
}

async fn status(State(teller): State<Teller>) -> Json<StatusReply> {
    Json(StatusReply {
        n_waiting: teller.handle.n_waiting(),
        resident_bytes: memory::resident_bytes(),
    })
}

async fn unknown_path() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "the path is unknown")
}

async fn other_method() -> Problem {
    let message = "the path does not support this method";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, message)
}

/// Fails unless a new account may have this name.
fn check_name(name: &str) -> Result<(), Problem> {
    let is_allowed =
        |c: u8| matches!(c, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.');
    if (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_allowed) {
        return Ok(());
    }
    let message = format!(
        "the name of an account must have 1 to {MAX_NAME_BYTES} of the characters a-z, A-Z, 0-9, `-`, `_` and `.`"
    );
    Err(Problem::new(StatusCode::BAD_REQUEST, message))
}

fn check_memo(memo: &Option<String>) -> Result<(), Problem> {
    match memo {
        Some(memo) if memo.len() > MAX_MEMO_BYTES => {
            let message = format!("`memo` must have at most {MAX_MEMO_BYTES} bytes");
            Err(Problem::new(StatusCode::BAD_REQUEST, message))
        }
        _ => Ok(()),
    }
}
