//! Connections to a bank: over HTTP, or to the service in this process.

use std::net::SocketAddr;

use axum::http::StatusCode;
use schedule::BoxError;
use schedule_stream::EventError;
use schedule_stream::service::{ServiceError, ServiceHandle};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::api::{
    Acceptance, Accepted, AccountReply, ErrorReply, IDEMPOTENCY_KEY, StatusReply, TotalsReply,
};
use crate::client::{Client, Reply};
use crate::ledger::{Answer, Entry, Payment, ReadAccount, ReadTotals, Totals};
use crate::memory;

/// A bank.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Http(SocketAddr),
    InProcess(ServiceHandle<Entry>),
}

impl Target {
    pub(crate) async fn connect(&self) -> Result<Connection, BoxError> {
        Ok(match self {
            Self::Http(address) => Connection::Http(Client::connect(*address).await?),
            Self::InProcess(handle) => Connection::InProcess(handle.clone()),
        })
    }
}

pub(crate) enum Connection {
    Http(Client),
    InProcess(ServiceHandle<Entry>),
}

/// The answer to an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Submitted {
    Accepted,
    /// The bank has rejected the event. It has changed nothing.
    Rejected(String),
    /// The connection broke, or the bank has the status 503.
    Unanswered {
        accepted: Acceptance,
        error: String,
    },
}

impl Submitted {
    /// It is unknown whether the event was accepted.
    fn unknown(error: impl ToString) -> Self {
        Self::Unanswered {
            accepted: Acceptance::Unknown,
            error: error.to_string(),
        }
    }
}

impl Connection {
    /// Submits an event that is not a query, perhaps with an idempotency key.
    ///
    /// # Errors
    ///
    /// Fails if the bank gives another answer than those of [`Submitted`], for example the status 404.
    pub(crate) async fn submit(
        &mut self,
        event: Entry,
        key: Option<&str>,
    ) -> Result<Submitted, BoxError> {
        match self {
            Self::Http(client) => {
                let (path, body) = request(&event)?;
                match client.post(path, body, key).await {
                    Ok(reply) => submitted(&reply),
                    Err(error) => Ok(Submitted::unknown(error)),
                }
            }
            Self::InProcess(handle) => {
                let submitted = match key {
                    Some(key) => handle.submit_with_key(key, event).await,
                    None => handle.submit(event).await,
                };
                Ok(match submitted {
                    Ok(outcome) => match outcome.result {
                        Ok(_) => Submitted::Accepted,
                        Err(error @ EventError::Failed(_)) => {
                            Submitted::Rejected(error.to_string())
                        }
                        Err(error) => return Err(error.into()),
                    },
                    Err(error @ ServiceError::Closed) => Submitted::Unanswered {
                        accepted: Acceptance::No,
                        error: error.to_string(),
                    },
                    Err(error @ ServiceError::Unknown) => Submitted::unknown(error),
                    Err(error) => return Err(error.into()),
                })
            }
        }
    }

    /// Returns the balance of an account.
    pub(crate) async fn balance(&mut self, account: &str) -> Result<u64, BoxError> {
        match self {
            Self::Http(client) => {
                let reply = client.get(&format!("/accounts/{account}")).await?;
                Ok(success::<AccountReply>(&reply)?.balance_cents)
            }
            Self::InProcess(handle) => {
                let query = Entry::ReadAccount(ReadAccount(account.to_string()));
                match handle.query(query).await?.result? {
                    Answer::Balance(cents) => Ok(cents),
                    other => Err(format!("unexpected answer: {other:?}").into()),
                }
            }
        }
    }

    pub(crate) async fn totals(&mut self) -> Result<Totals, BoxError> {
        match self {
            Self::Http(client) => {
                let reply = client.get("/totals").await?;
                Ok(success::<TotalsReply>(&reply)?.totals)
            }
            Self::InProcess(handle) => {
                let query = Entry::ReadTotals(ReadTotals);
                match handle.query(query).await?.result? {
                    Answer::Totals(totals) => Ok(totals),
                    other => Err(format!("unexpected answer: {other:?}").into()),
                }
            }
        }
    }

    /// Returns the resident memory of the process of the bank, in bytes. `None` if it is unknown.
    pub(crate) async fn resident_bytes(&mut self) -> Result<Option<u64>, BoxError> {
        match self {
            Self::Http(client) => {
                let reply = client.get("/status").await?;
                Ok(success::<StatusReply>(&reply)?.resident_bytes)
            }
            Self::InProcess(_) => Ok(memory::resident_bytes()),
        }
    }
}

/// Sends a part of the request for a payment on a new connection, and closes the connection. `part` is from 0 to 1. Returns whether
/// the whole request was sent, so that the bank may have received it.
///
/// # Errors
///
/// Fails if the bank cannot be reached.
pub(crate) async fn leave(
    address: SocketAddr,
    payment: &Payment,
    key: Option<&str>,
    part: f64,
) -> Result<bool, BoxError> {
    let (path, body) = request(&Entry::Pay(payment.clone()))?;
    let key = key.map_or(String::new(), |key| format!("{IDEMPOTENCY_KEY}: {key}\r\n"));
    let n_bytes = body.len();
    let mut bytes = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n{key}content-length: {n_bytes}\r\n\r\n"
    )
    .into_bytes();
    bytes.extend_from_slice(&body);
    let n_sent = (bytes.len() as f64 * part) as usize;
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(&bytes[..n_sent]).await?;
    Ok(n_sent == bytes.len())
}

/// Returns the path and the body of the request for an event.
fn request(event: &Entry) -> Result<(&'static str, Vec<u8>), BoxError> {
    Ok(match event {
        Entry::Open(event) => ("/accounts", serde_json::to_vec(event)?),
        Entry::Deposit(event) => ("/deposits", serde_json::to_vec(event)?),
        Entry::Withdraw(event) => ("/withdrawals", serde_json::to_vec(event)?),
        Entry::Pay(event) => ("/payments", serde_json::to_vec(event)?),
        other => return Err(format!("no request submits {other:?}").into()),
    })
}

fn submitted(reply: &Reply) -> Result<Submitted, BoxError> {
    if reply.status.is_success() {
        // An answer without a position is not one of a bank.
        reply.json::<Accepted>()?;
        return Ok(Submitted::Accepted);
    }
    let status = reply.status;
    // A server between may have another body.
    let (error, accepted) = match reply.json::<ErrorReply>() {
        Ok(reply) => (format!("{status}: {}", reply.error), reply.accepted),
        Err(_) => (status.to_string(), None),
    };
    match status {
        StatusCode::CONFLICT => Ok(Submitted::Rejected(error)),
        StatusCode::SERVICE_UNAVAILABLE => Ok(Submitted::Unanswered {
            accepted: accepted.unwrap_or(Acceptance::Unknown),
            error,
        }),
        _ => Err(error.into()),
    }
}

fn success<T: serde::de::DeserializeOwned>(reply: &Reply) -> Result<T, BoxError> {
    if reply.status.is_success() {
        reply.json()
    } else {
        Err(reply.json::<ErrorReply>()?.error.into())
    }
}
