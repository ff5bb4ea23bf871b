//! Histories: outcomes that were replaced by others, because the program accepts them.
//!
//! A stream begins with history 0. An entry of the journal begins a new one: its body has the number of the history and the first
//! batch whose outcomes were replaced, 8 bytes each. Snapshots have all of them, because the journal is truncated.

use core::fmt;

use super::error::DurableError;
use crate::base::position::{BatchTime, Position};
use crate::persist::journal::{EntryKind, JournalRecord};
use schedule::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};

/// A new history: from a batch on, the outcomes were replaced by others. A reader that has older ones must read again from there.
/// See [`Durable::accept_new_outcomes_from`](super::Durable::accept_new_outcomes_from).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rewritten {
    /// The number of the history. The first one is 0.
    pub history: u64,
    /// The first batch whose outcomes were replaced.
    pub from: u64,
}

impl fmt::Display for Rewritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { history, from } = self;
        write!(f, "history {history} has new outcomes from batch {from} on")
    }
}

impl Rewritten {
    /// Returns the entry. `next`: the number of the next batch.
    pub(super) fn into_entry(self, next: u64, time: BatchTime) -> JournalRecord {
        JournalRecord {
            batch: next,
            kind: EntryKind::NEW_HISTORY,
            time: time.as_nanos(),
            body: [self.history.to_le_bytes(), self.from.to_le_bytes()].concat(),
        }
    }

    /// Reads the body of an entry.
    pub(super) fn of_entry(body: &[u8]) -> Result<Self, SnapshotError> {
        let (numbers, rest) = body.as_chunks();
        match (numbers, rest) {
            (&[history, from], []) => Ok(Self {
                history: u64::from_le_bytes(history),
                from: u64::from_le_bytes(from),
            }),
            _ => Err(Decoder::new(body).error("the entry of a new history has a wrong size")),
        }
    }
}

/// The histories of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Histories {
    /// In ascending order of their numbers, without the first one.
    all: Vec<Rewritten>,
}

impl Histories {
    /// The number of the present one.
    pub(crate) fn current(&self) -> u64 {
        self.all.last().map_or(0, |last| last.history)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds a history, if it is later than the present one.
    pub(super) fn add(&mut self, rewritten: Rewritten) {
        if rewritten.history > self.current() {
            self.all.push(rewritten);
        }
    }

    /// Returns the difference between an earlier history and the present one.
    pub(crate) fn since(&self, history: u64) -> Option<Rewritten> {
        let later = self.all.iter().filter(|one| one.history > history);
        Some(Rewritten {
            history: self.current(),
            from: later.map(|one| one.from).min()?,
        })
    }

    /// Fails if a reader has outcomes before this position that were replaced since this history.
    pub(super) fn check_reader(&self, history: u64, first: Position) -> Result<(), DurableError> {
        match self.since(history) {
            Some(rewritten) if Position::new(rewritten.from, 0) < first => {
                Err(DurableError::Rewritten(rewritten))
            }
            _ => Ok(()),
        }
    }
}

impl Snapshot for Histories {
    const NAME: &'static str = "schedule-stream.histories";
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        let all = self.all.iter().map(|one| (one.history, one.from));
        to.write(&all.collect::<Vec<_>>())
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let all: Vec<(u64, u64)> = from.read()?;
        let of = |(history, from)| Rewritten { history, from };
        Ok(Self {
            all: all.into_iter().map(of).collect(),
        })
    }

    fn schema() -> Schema {
        Schema::of::<Vec<(u64, u64)>>()
    }
}

/// The new histories that begin later in a replay. The outcomes of their batches may differ from the digests until then.
#[derive(Debug, Default)]
pub(super) struct LaterHistories {
    /// Those of the journal.
    stored: Vec<Rewritten>,
    /// The first batch whose new outcomes are accepted by this recovery.
    accepted: Option<u64>,
}

impl LaterHistories {
    /// `stored`: those of the journal that have not been reached.
    pub(super) fn set_stored(&mut self, stored: Vec<Rewritten>) {
        self.stored = stored;
    }

    pub(super) fn stored(&self) -> &[Rewritten] {
        &self.stored
    }

    /// Accepts the new outcomes from this batch on, also if it is before those that were accepted.
    pub(super) fn accept(&mut self, batch: u64) {
        let before = self.accepted.unwrap_or(batch);
        self.accepted = Some(batch.min(before));
    }

    /// The first batch whose new outcomes were accepted.
    pub(super) fn accepted(&self) -> Option<u64> {
        self.accepted
    }

    /// The replay has reached the beginning of this history.
    pub(super) fn begin(&mut self, history: u64) {
        self.stored.retain(|one| one.history > history);
    }

    /// The first batch whose outcomes may differ.
    pub(super) fn first(&self) -> Option<u64> {
        let stored = self.stored.iter().map(|one| one.from);
        stored.chain(self.accepted).min()
    }

    /// Returns whether the outcomes of a batch may differ.
    pub(super) fn may_differ(&self, batch: u64) -> bool {
        self.first().is_some_and(|first| batch >= first)
    }
}
