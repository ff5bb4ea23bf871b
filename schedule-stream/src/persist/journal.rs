//! Storage for durable streams: a journal of batches and snapshots of the state, as bytes.
//!
//! A [`Journal`] stores consecutive batches as records. [`Snapshots`] stores the state after some batches. Both know nothing of
//! events and handlers. [`open`] opens them together in a directory and repairs the end of the journal after a crash.
//! [`MemoryJournal`] and [`MemorySnapshots`] store in memory, for tests and for streams that are not durable.
//!
//! An entry of another [`EntryKind`] than a batch is a note about the batches after it. It has no number of its own.
//!
//! A record is durable when [`Journal::sync`] has returned after its [`append`](Journal::append). After a crash, [`open`] returns a journal
//! with all durable records, perhaps with later ones that were appended, and with nothing else. All records in the result of
//! [`open`] are durable.
//!
//! ```
//! use std::ops::ControlFlow;
//! use schedule_stream::journal::{self, EntryKind, Journal, JournalHead, JournalRecord, Snapshots};
//!
//! # let directory = std::env::temp_dir().join(format!("schedule-journal-{}", std::process::id()));
//! let head = JournalHead {
//!     program: "exchange".into(),
//!     version: 1,
//!     types: vec![("Order".into(), 1)],
//!     constants: 0,
//!     events: None,
//! };
//! let mut opened = journal::open(&directory)?;
//! opened.journal.start(&head)?;
//! let kind = EntryKind::BATCH;
//! let records = [1, 2, 3].map(|batch| JournalRecord { batch, kind, time: 0, body: vec![7; 100] });
//! opened.journal.append(&records)?;
//! opened.journal.sync()?;
//! opened.snapshots.write(2, b"the state after batch 2")?;
//! drop(opened);
//!
//! let mut opened = journal::open(&directory)?;
//! let newest = opened.snapshots.list()?[0];
//! assert_eq!(opened.snapshots.read(newest)?, b"the state after batch 2");
//! let mut batches = Vec::new();
//! opened.journal.read(newest + 1, &mut |stored| {
//!     batches.push(stored.record.batch);
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(batches, [3]);
//! # drop(opened);
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The page `docs/journal-format.md` describes the files. The command `schedule-stream inspect DIR` prints their content, and
//! `schedule-stream verify DIR` checks them.

mod dead_letter;
mod directory;
mod disk;
mod error;
mod examination;
mod file_journal;
mod file_snapshots;
mod format;
mod inspection;
mod kind;
mod mark;
mod memory;
mod open_directory;
mod opening;
mod part_checksums;
mod reader;
mod retention;
mod view;

use core::ops::ControlFlow;

use schedule::snapshot::Schema;
use serde::{Deserialize, Serialize};

pub use self::dead_letter::DeadLetterEntry;
pub use self::directory::{Directory, DirectoryLock};
pub use self::disk::{Disk, DiskFile};
pub use self::error::{Damage, JournalError};
pub use self::file_journal::FileJournal;
pub use self::file_snapshots::FileSnapshots;
pub(crate) use self::format::decode_head;
pub use self::inspection::{Inspection, SegmentInfo, SnapshotInfo, inspect};
pub use self::kind::EntryKind;
pub use self::mark::{
    JournalMark, MAX_DEATHS, MAX_SUSPECTS, MarkStore, MarkedBatch, MarkedRange, MemoryMark,
    SuspectBatch,
};
pub use self::memory::{MemoryJournal, MemorySnapshots};
pub use self::opening::{
    Cut, Opened, Recovered, open, open_on, open_read_only, open_read_only_on, open_snapshots,
};
pub use self::retention::{keep_two, retain};
pub use self::view::JournalView;

/// The size in bytes above which a journal begins a new segment, if it has no other limit: 64 MiB.
pub const MAX_SEGMENT_BYTES: u64 = 64 << 20;

/// The number of the rules by which this version of the crate orders follow-up events. The head of a segment has it, so that its
/// batches are replayed by the rules under which they were written.
///
/// - 1: follow-up events above the limit of a batch have an error. Segments in format 1 have these rules.
/// - 2: follow-up events above the limit of a batch wait, and come in later batches.
pub const RULES: u32 = 2;

/// An entry of a journal: a batch, or a note about the batches after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRecord {
    /// The number of the batch. The first batch of a journal is 1, or the one after the newest snapshot. For another kind, the
    /// number of the next batch.
    pub batch: u64,
    /// The kind.
    pub kind: EntryKind,
    /// The arrival time of the batch, in nanoseconds since the Unix epoch.
    pub time: u64,
    /// The content, of at most `u32::MAX` bytes.
    pub body: Vec<u8>,
}

impl JournalRecord {
    /// The last batch that this entry concerns: the batch, or for a note the last batch before which it must be kept.
    #[doc(hidden)]
    pub fn last_concerned(&self) -> u64 {
        if self.kind.concerns_earlier() {
            self.batch.saturating_sub(1)
        } else {
            self.batch
        }
    }
}

/// The program that writes a journal. Each segment of a journal has it in its head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalHead {
    /// The name of the program.
    pub program: String,
    /// The version of the program.
    pub version: u32,
    /// The names and versions of the types in the bodies of records.
    pub types: Vec<(String, u32)>,
    /// A digest of the constants that handlers read.
    pub constants: u64,
    /// The schema of the events in the bodies of batches. `None` in segments of format 1.
    pub events: Option<Schema>,
}

/// A record of a journal, with the start of the program that wrote it.
#[derive(Clone, Copy, Debug)]
pub struct StoredRecord<'j> {
    /// The record.
    pub record: &'j JournalRecord,
    /// The head that the program passed to [`Journal::start`].
    pub head: &'j JournalHead,
    /// The number of the start: the result of [`Journal::start`].
    pub generation: u64,
    /// The [rules](RULES) under which it was written.
    pub rules: u32,
}

/// Storage for consecutive batches.
///
/// Records appended between two calls of [`sync`](Self::sync) are a group. A crash can destroy any part of the last group, if its
/// sync has not returned. It cannot destroy earlier groups.
///
/// If a write, a sync or a removal fails, the journal is closed: [`start`](Self::start), [`append`](Self::append), [`sync`](Self::sync) and
/// [`truncate`](Self::truncate) return [`JournalError::Closed`] from then on. The journal must be opened again, which
/// determines the records that are stored.
pub trait Journal: Send {
    /// Begins a new segment with this head, and returns its generation, which is higher than all earlier ones.
    ///
    /// Each start of a program calls it once, before it appends. It also syncs.
    ///
    /// # Errors
    ///
    /// If the segment cannot be written, or if the journal is closed.
    fn start(&mut self, head: &JournalHead) -> Result<u64, JournalError>;

    /// Appends entries with one write. They are durable after the next [`sync`](Self::sync).
    ///
    /// # Errors
    ///
    /// [`JournalError::NotConsecutive`] if the first record is not [`next_batch`](Self::next_batch) or a record does not
    /// follow the one before it, [`JournalError::TooLong`] if a body is too long, and [`JournalError::NotStarted`] before the first
    /// [`start`](Self::start). Nothing is written then, and the journal stays open. Otherwise if the write fails, or if the
    /// journal is closed.
    fn append(&mut self, records: &[JournalRecord]) -> Result<(), JournalError>;

    /// Returns when all appended records are durable.
    ///
    /// # Errors
    ///
    /// If the sync fails, or if the journal is closed.
    fn sync(&mut self) -> Result<(), JournalError>;

    /// Removes the segments that contain only batches below `before`. The newest segment is never removed.
    ///
    /// # Errors
    ///
    /// If a segment cannot be removed, or if the journal is closed.
    fn truncate(&mut self, before: u64) -> Result<(), JournalError>;

    /// Visits the stored entries from batch `from` on, in order, until `visit` breaks.
    ///
    /// Removed entries are not visited: see [`first_batch`](Self::first_batch). Nor are those of an unknown kind.
    ///
    /// # Errors
    ///
    /// If a segment cannot be read, or if it was damaged after the journal was opened.
    fn read(
        &mut self,
        from: u64,
        visit: &mut dyn FnMut(StoredRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), JournalError>;

    /// Checks that no other process has changed the stored records since this journal was opened.
    ///
    /// A recovery calls it before it reports that records and snapshots do not belong together: snapshots are listed after the journal
    /// was opened. The default implementation returns `Ok`, for journals that one process at a time can open. A journal that contains
    /// another one calls its method.
    ///
    /// # Errors
    ///
    /// [`JournalError::Fenced`] if another process writes the journal, or if that cannot be determined. A file journal that is only read
    /// fails with [`JournalError::Io`] if another program has removed its files, or has written a newer snapshot.
    fn check_unchanged(&mut self) -> Result<(), JournalError> {
        Ok(())
    }

    /// Opens the storage for the mark of the batch that is applied. A stream calls it once, when it is recovered. The default
    /// implementation returns `None`: then events that end the process are not found.
    ///
    /// # Errors
    ///
    /// If the storage cannot be opened.
    fn open_mark(&mut self) -> Result<Option<Box<dyn MarkStore>>, JournalError> {
        Ok(None)
    }

    /// Returns whether the journal can only be read. Then a recovery writes nothing to it, and the stream accepts no events. The
    /// default implementation returns `false`. A journal that contains another one calls its method.
    fn is_read_only(&self) -> bool {
        false
    }

    /// Returns whether the journal may have stored entries of this kind. The default implementation returns `true`.
    fn may_contain(&self, kind: EntryKind) -> bool {
        let _ = kind;
        true
    }

    /// Returns the number of the oldest stored batch, or `None` if there are none.
    fn first_batch(&self) -> Option<u64>;

    /// Returns the number of the newest stored batch, or `None` if there are none.
    fn last_batch(&self) -> Option<u64>;

    /// Returns the number of the batch that is appended next. It is known even if no batch is stored.
    fn next_batch(&self) -> u64;

    /// Returns the head of the newest segment, or `None` if the journal was never started.
    fn head(&self) -> Option<&JournalHead>;
}

/// Storage for snapshots: the state of a program after a batch.
pub trait Snapshots: Send {
    /// Returns the batches of the stored snapshots, the newest first. Some of them may be damaged.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read.
    fn list(&self) -> Result<Vec<u64>, JournalError>;

    /// Stores the snapshot after a batch. When it returns, the snapshot is durable. A crash leaves a whole snapshot or none.
    ///
    /// The batch must be synced in the journal.
    ///
    /// # Errors
    ///
    /// [`JournalError::NotSynced`] if a journal was opened together with these snapshots, and the batch is not synced there.
    /// Otherwise if the snapshot cannot be written. Then it can be written again, unless the storage is closed.
    fn write(&mut self, batch: u64, bytes: &[u8]) -> Result<(), JournalError>;

    /// Returns the snapshot after a batch.
    ///
    /// # Errors
    ///
    /// [`JournalError::MissingSnapshot`] if there is none, [`JournalError::Damaged`] if it is not whole, or another error if it cannot
    /// be read.
    fn read(&self, batch: u64) -> Result<Vec<u8>, JournalError>;

    /// Checks that a snapshot is whole, and returns its size in bytes. It needs less memory than [`read`](Self::read).
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    fn check(&self, batch: u64) -> Result<u64, JournalError> {
        self.read(batch).map(|bytes| bytes.len() as u64)
    }

    /// Removes the snapshots of batches below `batch`.
    ///
    /// # Errors
    ///
    /// If a snapshot cannot be removed, or if the storage is closed.
    fn remove_before(&mut self, batch: u64) -> Result<(), JournalError>;
}

/// Visits the entries of a segment from the batch `from` on, except those of an unknown kind, until `visit` breaks.
pub(crate) fn visit_records(
    (head, generation, rules): (&JournalHead, u64, u32),
    records: &[JournalRecord],
    from: u64,
    visit: &mut dyn FnMut(StoredRecord<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let is_visited = |record: &&JournalRecord| record.batch >= from && record.kind.is_known();
    records.iter().filter(is_visited).try_for_each(|record| {
        visit(StoredRecord {
            record,
            head,
            generation,
            rules,
        })
    })
}

/// The number of batches among these entries.
pub(crate) fn n_batches(records: &[JournalRecord]) -> u64 {
    let batches = records.iter().filter(|one| one.kind == EntryKind::BATCH);
    batches.count() as u64
}

/// Fails if the batches are not consecutive from `next`, or if an entry is too long.
pub(crate) fn check_records(next: u64, records: &[JournalRecord]) -> Result<(), JournalError> {
    let mut expected = next;
    for record in records {
        // The number after the last batch must exist, too.
        if record.batch != expected || record.batch == u64::MAX {
            return Err(JournalError::NotConsecutive {
                expected,
                found: record.batch,
            });
        }
        if u32::try_from(record.body.len()).is_err() {
            return Err(JournalError::TooLong {
                batch: record.batch,
                n_bytes: record.body.len() as u64,
            });
        }
        if record.kind == EntryKind::BATCH {
            expected += 1;
        }
    }
    Ok(())
}

/// Fails if no batch can follow this one.
pub(crate) fn check_followed(batch: u64) -> Result<(), JournalError> {
    match batch {
        u64::MAX => Err(JournalError::LastNumber { of: "batch" }),
        _ => Ok(()),
    }
}

/// Returns the generation after this one.
pub(crate) fn next_generation(last: u64) -> Result<u64, JournalError> {
    let next = last.checked_add(1);
    next.ok_or(JournalError::LastNumber { of: "generation" })
}
