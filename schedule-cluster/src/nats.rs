//! A journal in a NATS server, as a JetStream stream.
//!
//! A supervisor that writes its journal in its own directory cannot be replaced by one on another machine. With a [`NatsJournal`] it
//! can: the batches are in a server, or in several servers with replicas. Each message that the journal writes names the sequence
//! number of the message before it. So if two supervisors write the same journal, the server refuses the messages of the older
//! one, whose journal is then closed with [`JournalError::Fenced`]. The start of the newer one fails with the same error, if the
//! older one has written since the newer one opened the journal. Snapshots are not in the server.
//!
//! ```no_run
//! use std::time::Duration;
//! use schedule_cluster::nats::{NatsJournal, NatsOptions};
//! use schedule_stream::journal::{EntryKind, Journal, JournalHead, JournalRecord};
//!
//! let options = NatsOptions::new("nats://127.0.0.1:4222", "exchange", "exchange.journal")
//!     .timeout(Duration::from_secs(5))
//!     .replicas(3);
//! let mut journal = NatsJournal::open(&options)?;
//! let head = JournalHead {
//!     program: "exchange".into(),
//!     version: 1,
//!     types: vec![("Order".into(), 1)],
//!     constants: 0,
//!     events: None,
//! };
//! journal.start(&head)?;
//! let (batch, kind) = (journal.next_batch(), EntryKind::BATCH);
//! journal.append(&[JournalRecord { batch, kind, time: 0, body: vec![7; 100] }])?;
//! journal.sync()?;
//! # Ok::<(), schedule_stream::journal::JournalError>(())
//! ```
//!
//! [`Cluster::recover_from`](crate::Cluster::recover_from) and
//! [`Durable::recover_from`](schedule_stream::durable::Durable::recover_from) take such a journal together with the snapshots of
//! [`open_snapshots`](schedule_stream::journal::open_snapshots), in a directory that both supervisors reach.
//!
//! # Settings of the server
//!
//! [`Journal::sync`] returns when the server has acknowledged all messages. What an acknowledgement means depends on the server:
//!
//! - **`sync_interval: always`**, in the block `jetstream` of its configuration. By default the server syncs its files every
//!   2 minutes. It acknowledges a message that is only in the memory of the operating system. Such a message survives the end of
//!   the server process. If the machine crashes or loses power, up to 2 minutes of acknowledged batches are lost. Their outcomes
//!   were released already. A recovery reports the loss only if a snapshot is newer than the journal.
//! - **File storage.** [`NatsJournal::open`] creates the stream with it, and refuses a stream in memory.
//! - **Replicas.** With 3 replicas ([`NatsOptions::replicas`]), a majority of the servers has each acknowledged message. Use
//!   `sync_interval: always` nevertheless: the default loses messages if several machines lose power at once.
//! - **A server newer than 2.9.** Debian 12 has version 2.9.10, which has no `sync_interval: always`. It is enough for tests.
//! - **No limits** on age, number or size of messages that would remove old ones. `open` refuses such a stream. Only
//!   [`Journal::truncate`] removes messages.
//!
//! Names and passwords can be in the address: `nats://user:password@host`. For an encrypted connection, add `async-nats` to your own
//! dependencies with its feature `ring` or `aws-lc-rs`, and use an address that begins with `tls://`.
//!
//! # Messages
//!
//! A start is a message with the head. The records of one [`Journal::append`] are a group, which is one message. A group above the
//! maximum message size of the server is several messages with consecutive sequence numbers. If a process ends between
//! them, the incomplete group at the end is ignored from the next opening on: see [`NatsJournal::torn_batch`]. Each message has a
//! checksum. A message is stored completely or not at all. So any other message that is missing, damaged or foreign
//! is an error that names its sequence number, also at the end of the journal.
//!
//! A message is sent when the one before it was acknowledged. If an acknowledgement does not come within the time limit of
//! [`NatsOptions::timeout`], the journal is closed. Nothing is sent again. [`NatsJournal::open`] then determines the stored batches,
//! and the batch without an acknowledgement may be among them.

mod connection;
mod index;
mod message;

use core::ops::ControlFlow;
use core::time::Duration;

use schedule_stream::internal::{
    check_appended, closed_journal, damaged_message, fenced, journal_not_started, next_generation,
    too_long, unknown_entry, unknown_rules, visit_records,
};
use schedule_stream::journal::{
    Journal, JournalError, JournalHead, JournalRecord, MAX_SEGMENT_BYTES, RULES, StoredRecord,
};

use self::connection::{Bounds, Connection};
use self::index::{Index, MessageError, OpenGroup, StoredGroup};

/// Maximum number of messages that are read at once.
const MAX_FETCHED: u64 = 16;

const MISSING: &str = "is missing";

/// The server, the stream and the time limit of a [`NatsJournal`].
#[derive(Clone)]
pub struct NatsOptions {
    server: String,
    stream: String,
    subject: String,
    timeout: Duration,
    n_replicas: usize,
    first_batch: u64,
    max_segment_bytes: u64,
}

impl NatsOptions {
    /// Returns the options of a journal in this stream of messages of a server, as in `nats://127.0.0.1:4222`.
    ///
    /// All messages with the subject must be of this journal.
    pub fn new(
        server: impl Into<String>,
        stream: impl Into<String>,
        subject: impl Into<String>,
    ) -> Self {
        Self {
            server: server.into(),
            stream: stream.into(),
            subject: subject.into(),
            timeout: Duration::from_secs(10),
            n_replicas: 1,
            first_batch: 1,
            max_segment_bytes: MAX_SEGMENT_BYTES,
        }
    }

    /// Sets the time limit of each call of the server. The default is 10 seconds.
    ///
    /// [`Journal::sync`] waits up to this limit for each message that was appended, [`Journal::read`] for each 16 messages.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the number of servers that store the stream, if the stream is created. The default is 1.
    #[must_use]
    pub fn replicas(mut self, n_replicas: usize) -> Self {
        self.n_replicas = n_replicas;
        self
    }

    /// Sets the first batch, if the stream has no messages. The default is 1. Use the one after the newest snapshot to replace
    /// another journal.
    #[must_use]
    pub fn first_batch(mut self, batch: u64) -> Self {
        self.first_batch = batch;
        self
    }

    /// Sets the size in bytes above which the next group is in a new segment. The default is [`MAX_SEGMENT_BYTES`].
    ///
    /// [`Journal::truncate`] removes whole segments.
    #[must_use]
    pub fn max_segment_bytes(mut self, n_bytes: u64) -> Self {
        self.max_segment_bytes = n_bytes;
        self
    }
}

/// Without the address of the server, which may have a password.
impl core::fmt::Debug for NatsOptions {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("NatsOptions")
            .field("stream", &self.stream)
            .field("subject", &self.subject)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// A journal in a JetStream stream of a NATS server. See the [module](self).
///
/// Dropping it waits for the acknowledgement of the message that is being written, if there is one.
#[derive(Debug)]
pub struct NatsJournal {
    connection: Connection,
    stream: String,
    max_segment_bytes: u64,
    /// The maximum size of a payload in bytes.
    max_bytes: usize,
    index: Index,
    /// The sequence number of the last message, appended messages included.
    last_sequence: u64,
    /// The sequence number of the last message that is durable.
    synced_sequence: u64,
    /// Whether `start` was called.
    is_started: bool,
    torn_batch: Option<u64>,
    /// The text of the error that has closed the journal.
    closed: Option<String>,
}

impl NatsJournal {
    /// Connects to the server, creates the stream if it is missing, and reads all messages to check them.
    ///
    /// It writes nothing. Another process that writes the journal is fenced by the next [`start`](Journal::start).
    ///
    /// # Errors
    ///
    /// [`JournalError::Remote`] if the server cannot be reached, has no JetStream, or has a stream with unsuitable settings.
    /// [`JournalError::DamagedMessage`] if a message is missing or is not as it was written. Messages that another process removes
    /// meanwhile, since it truncates the journal, are not missing.
    pub fn open(options: &NatsOptions) -> Result<Self, JournalError> {
        let (connection, found) = Connection::open(options)?;
        let mut journal = Self {
            connection,
            stream: options.stream.clone(),
            max_segment_bytes: options.max_segment_bytes,
            max_bytes: found.max_bytes,
            index: Index::new(options.first_batch),
            last_sequence: 0,
            synced_sequence: 0,
            is_started: false,
            torn_batch: None,
            closed: None,
        };
        let mut bounds = found.bounds;
        while let Some(removed) = journal.index_messages(bounds, options.first_batch)? {
            // Another process has truncated the journal meanwhile.
            bounds = removed;
        }
        journal.torn_batch = journal.index.open.take().map(|group| group.first);
        Ok(journal)
    }

    /// Reads the messages into a new index. If some of them were removed meanwhile, the result is the present bounds.
    fn index_messages(
        &mut self,
        bounds: Bounds,
        first_batch: u64,
    ) -> Result<Option<Bounds>, JournalError> {
        self.index = Index::new(first_batch);
        self.last_sequence = bounds.last;
        self.synced_sequence = bounds.last;
        if bounds.last > 0 && bounds.first > bounds.last {
            let problem = "was removed, as all messages before it";
            return Err(self.damaged(bounds.last, first_batch, problem));
        }
        if bounds.last == u64::MAX {
            let problem = "has the highest sequence number";
            return Err(self.damaged(bounds.last, first_batch, problem));
        }
        let mut next = bounds.first;
        while next <= bounds.last {
            let end = next.saturating_add(MAX_FETCHED).min(bounds.last + 1);
            let payloads = self.connection.fetch(next..end)?;
            for (sequence, payload) in (next..).zip(payloads) {
                let accepted = match payload {
                    Some(payload) => self.index.accept(sequence, &payload),
                    None => {
                        let present = self.connection.bounds()?;
                        if present.first > sequence {
                            return Ok(Some(present));
                        }
                        Err(MISSING.into())
                    }
                };
                accepted.map_err(|error| self.unusable(sequence, error))?;
            }
            next = end;
        }
        Ok(None)
    }

    /// Returns the first batch of an incomplete group at the end of the stream, when the journal was opened. The process that wrote
    /// it ended in between. Its batches are not in the journal.
    pub fn torn_batch(&self) -> Option<u64> {
        self.torn_batch
    }

    /// The error of a message that was read when the journal was opened.
    fn unusable(&self, sequence: u64, error: MessageError) -> JournalError {
        let place = format!("message {sequence} of stream `{}`", self.stream);
        match error {
            MessageError::Problem(problem) => self.damaged(sequence, self.index.next, problem),
            MessageError::Rules(found) => unknown_rules(place, found),
            MessageError::Unknown(record) => unknown_entry(place, &record),
        }
    }

    fn damaged(&self, sequence: u64, batch: u64, problem: &'static str) -> JournalError {
        damaged_message(self.stream.clone(), sequence, batch, problem)
    }

    fn check_open(&self) -> Result<(), JournalError> {
        let cause = self.closed.clone();
        cause.map_or(Ok(()), |cause| Err(closed_journal(cause)))
    }

    /// Closes the journal after an error.
    fn close<T>(&mut self, result: Result<T, JournalError>) -> Result<T, JournalError> {
        if let Err(error) = &result {
            self.closed = Some(error.to_string());
        }
        result
    }

    /// Publishes messages after the last one.
    fn publish(&mut self, payloads: Vec<Vec<u8>>) {
        let n_messages = payloads.len() as u64;
        self.connection.publish(self.last_sequence + 1, payloads);
        self.last_sequence += n_messages;
    }

    fn settle(&mut self) -> Result<(), JournalError> {
        if self.synced_sequence < self.last_sequence {
            let settled = self.connection.settle();
            self.close(settled)?;
            self.synced_sequence = self.last_sequence;
        }
        Ok(())
    }

    /// Publishes a head. The error is its size in bytes, if that is above the maximum.
    fn begin_segment(&mut self, generation: u64, head: &JournalHead) -> Result<(), u64> {
        let sequence = self.last_sequence + 1;
        let payload = message::encode_head(sequence, generation, self.index.next, head);
        if payload.len() > self.max_bytes {
            return Err(payload.len() as u64);
        }
        self.publish(vec![payload]);
        self.index
            .begin_segment(sequence, generation, (head.clone(), RULES));
        Ok(())
    }

    /// Returns the stored groups from batch `from` on, each with the number of its segment.
    fn groups_from(&self, from: u64) -> Vec<(usize, StoredGroup)> {
        let mut found = Vec::new();
        for (segment_idx, segment) in self.index.segments.iter().enumerate() {
            let before = |group: &StoredGroup| group.last < from;
            let skipped = segment.groups.partition_point(before);
            for &group in &segment.groups[skipped..] {
                // A closed journal may have groups that were not written.
                if group.sequence + u64::from(group.n_parts) <= self.synced_sequence + 1 {
                    found.push((segment_idx, group));
                }
            }
        }
        found
    }
}

impl Journal for NatsJournal {
    fn start(&mut self, head: &JournalHead) -> Result<u64, JournalError> {
        self.check_open()?;
        self.settle()?;
        let generation = next_generation(self.index.generation())?;
        let begun = self.begin_segment(generation, head);
        begun.map_err(|n_bytes| too_long(self.index.next, n_bytes))?;
        self.settle()?;
        self.is_started = true;
        Ok(generation)
    }

    /// Publishes the records. [`sync`](Journal::sync) returns the error, if the server refuses them.
    fn append(&mut self, records: &[JournalRecord]) -> Result<(), JournalError> {
        self.check_open()?;
        let last = self.index.segments.last();
        let Some(last) = last.filter(|_| self.is_started) else {
            return Err(journal_not_started());
        };
        check_appended(self.index.next, records)?;
        let generation = last.generation;
        if last.n_bytes >= self.max_segment_bytes && last.first < self.index.next {
            let head = last.head.clone();
            let begun = self.begin_segment(generation, &head);
            begun.map_err(|n_bytes| too_long(self.index.next, n_bytes))?;
        }
        let Some(first) = records.first() else {
            return Ok(());
        };
        let sequence = self.last_sequence + 1;
        let payloads = message::encode_group(sequence, generation, records, self.max_bytes);
        let group = StoredGroup {
            sequence,
            n_parts: u32::try_from(payloads.len()).expect("the parts have numbers of 32 bits"),
            first: first.batch,
            last: index::last_concerned(first.batch, records),
        };
        self.publish(payloads);
        self.index.add_group(group, records);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), JournalError> {
        self.check_open()?;
        self.settle()
    }

    /// Removes the messages of the segments that contain only batches below `before`. The newest segment is never removed.
    ///
    /// The server cannot check in the same step that no other process writes the journal, so it is checked directly before.
    fn truncate(&mut self, before: u64) -> Result<(), JournalError> {
        self.check_open()?;
        self.settle()?;
        let n_removed = self.index.n_below(before);
        if n_removed > 0 {
            let kept = self.index.segments[n_removed].sequence;
            let purged = self.connection.purge(kept, self.last_sequence);
            self.close(purged)?;
            self.index.segments.drain(..n_removed);
        }
        Ok(())
    }

    /// Visits the stored records. It first waits for the acknowledgements of those that were appended. If another process has
    /// removed some of them since the journal was opened, the error is [`JournalError::Fenced`].
    fn read(
        &mut self,
        from: u64,
        visit: &mut dyn FnMut(StoredRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), JournalError> {
        if self.closed.is_none() {
            self.settle()?;
        }
        let groups = self.groups_from(from);
        let mut messages = Vec::new().into_iter();
        // The sequence number of the next message that is fetched.
        let mut fetched = 0;
        for (segment_idx, stored) in groups {
            let segment = &self.index.segments[segment_idx];
            let mut group = OpenGroup::again(stored, segment.generation);
            let end = stored.sequence + u64::from(stored.n_parts);
            for sequence in stored.sequence..end {
                if sequence >= fetched {
                    fetched = (sequence + MAX_FETCHED).min(self.synced_sequence + 1);
                    let payloads = self.connection.fetch(sequence..fetched)?;
                    messages = (sequence..fetched)
                        .zip(payloads)
                        .collect::<Vec<_>>()
                        .into_iter();
                }
                // Between two groups may be heads and torn groups.
                let message = messages.find(|(found, _)| *found == sequence);
                let (_, payload) = message.expect("the messages until `fetched` were fetched");
                let accepted = match payload {
                    Some(payload) => group.accept(sequence, &payload),
                    None if self.connection.bounds()?.first > sequence => {
                        return Err(fenced(self.stream.clone(), self.last_sequence + 1));
                    }
                    None => Err(MISSING),
                };
                accepted.map_err(|problem| self.damaged(sequence, stored.first, problem))?;
            }
            let records = group.records();
            let records =
                records.map_err(|problem| self.damaged(end - 1, stored.first, problem))?;
            let segment_of = (&segment.head, segment.generation, segment.rules);
            if visit_records(segment_of, &records, from, visit).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn check_unchanged(&mut self) -> Result<(), JournalError> {
        self.check_open()?;
        self.settle()?;
        if self.connection.bounds()?.last == self.last_sequence {
            Ok(())
        } else {
            Err(fenced(self.stream.clone(), self.last_sequence + 1))
        }
    }

    fn first_batch(&self) -> Option<u64> {
        let first = self.index.segments.first()?.first;
        (first < self.index.next).then_some(first)
    }

    fn last_batch(&self) -> Option<u64> {
        self.first_batch().map(|_| self.index.next - 1)
    }

    fn next_batch(&self) -> u64 {
        self.index.next
    }

    fn head(&self) -> Option<&JournalHead> {
        self.index.segments.last().map(|segment| &segment.head)
    }
}
