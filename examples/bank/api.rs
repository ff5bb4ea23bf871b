//! The bodies of answers, and a header of requests.

use schedule_stream::Position;
use serde::{Deserialize, Serialize};

use crate::ledger::{Statement, Totals};

/// The header of a request that can be repeated.
pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The answer to an event that was accepted.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Accepted {
    /// The place of the event in the journal.
    pub(crate) position: Position,
    /// The balance of the account, or of the payer.
    pub(crate) balance_cents: u64,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct AccountReply {
    pub(crate) account: String,
    pub(crate) balance_cents: u64,
    /// The last batch that is included.
    pub(crate) batch: u64,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct StatementReply {
    pub(crate) account: String,
    pub(crate) statement: Statement,
    /// The last batch that is included.
    pub(crate) batch: u64,
}

#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) struct TotalsReply {
    pub(crate) totals: Totals,
    /// The last batch that is included.
    pub(crate) batch: u64,
}

/// The state of the process.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) struct StatusReply {
    /// Number of requests that wait for the service.
    pub(crate) n_waiting: usize,
    /// `None` on systems other than Linux.
    pub(crate) resident_bytes: Option<u64>,
}

/// The body of each answer that is not a success.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct ErrorReply {
    pub(crate) error: String,
    /// The place of the event in the journal, if it is there. It has changed nothing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) position: Option<Position>,
    /// Only of answers with the status 503.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) accepted: Option<Acceptance>,
}

/// Whether an event without an outcome was accepted by this request. An earlier request with the same key may have been accepted.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Acceptance {
    /// The event is not in the journal.
    No,
    /// The event may be in the journal. Then the next start of the bank processes it.
    Unknown,
}
