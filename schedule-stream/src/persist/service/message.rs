//! Messages to the threads that write.

use super::request::Reply;
use super::retries::SnapshotRetries;
use crate::persist::durable::DurableEvent;
use crate::persist::journal::JournalRecord;
use crate::program::outcome::Outcome;

/// An outcome, and the client that waits for it. A follow-up event has no client.
pub(super) type Answered<E> = (Outcome<E>, Option<Reply<Outcome<E>>>);

/// A message to the writer.
pub(super) enum Message<E: DurableEvent> {
    /// The digests of the outcomes of earlier batches, and the record of the next batch.
    Record(Vec<JournalRecord>, JournalRecord),
    /// The outcomes of a batch whose record was sent before, each with its client.
    Outcomes(Vec<Answered<E>>),
    /// Answers that may be released after all earlier messages.
    Answer(Box<dyn FnOnce() + Send>),
    /// A snapshot of the state after all batches that were sent before.
    Snapshot(Saved),
    /// Remove the journal before this batch.
    Truncate(u64),
    End,
}

/// A saved state.
pub(super) struct Saved {
    /// The last batch that it contains, which is synced.
    pub(super) batch: u64,
    pub(super) bytes: Vec<u8>,
    /// `None` for a snapshot that no client has requested.
    pub(super) reply: Option<Reply<u64>>,
    /// The wait before it.
    pub(super) retries: SnapshotRetries,
}
