//! Storage for durable streams: a journal of batches and snapshots of the state, as bytes.
//!
//! A [`Journal`] stores consecutive batches as records. [`Snapshots`] stores the state after some batches. Both know nothing of
//! events and handlers. [`open`] opens them together in a directory and repairs the end of the journal after a crash.
//! [`MemoryJournal`] and [`MemorySnapshots`] store in memory, for tests and for streams that are not durable.
//!
//! A record is durable when [`Journal::sync`] has returned after its [`append`](Journal::append). After a crash, [`open`] returns a journal
//! with all durable records, perhaps with later ones that were appended, and with nothing else. All records in the result of
//! [`open`] are durable.
//!
//! ```
//! use std::ops::ControlFlow;
//! use schedule_stream::journal::{self, Journal, JournalHead, JournalRecord, Snapshots};
//!
//! # let directory = std::env::temp_dir().join(format!("schedule-journal-{}", std::process::id()));
//! let head = JournalHead {
//!     program: "exchange".into(),
//!     version: 1,
//!     types: vec![("Order".into(), 1)],
//!     constants: 0,
//! };
//! let mut opened = journal::open(&directory)?;
//! opened.journal.start(&head)?;
//! let records = [1, 2, 3].map(|batch| JournalRecord { batch, time: 0, body: vec![7; 100] });
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

mod directory;
mod disk;
mod error;
mod examination;
mod file_journal;
mod file_snapshots;
mod format;
mod inspection;
mod memory;
mod open_directory;
mod opening;
mod reader;
mod retention;

use core::ops::ControlFlow;

use serde::{Deserialize, Serialize};

pub use self::directory::{Directory, DirectoryLock};
pub use self::disk::{Disk, DiskFile};
pub use self::error::{Damage, JournalError};
pub use self::file_journal::FileJournal;
pub use self::file_snapshots::FileSnapshots;
pub use self::inspection::{Inspection, SegmentInfo, SnapshotInfo, inspect};
pub use self::memory::{MemoryJournal, MemorySnapshots};
pub use self::opening::{Cut, Opened, Recovered, open, open_on, open_snapshots};
pub use self::retention::{keep_two, retain};

/// The size in bytes above which a journal begins a new segment, if it has no other limit: 64 MiB.
pub const MAX_SEGMENT_BYTES: u64 = 64 << 20;

/// A batch as it is stored in a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRecord {
    /// The number of the batch. The first batch of a journal is 1, or the one after the newest snapshot.
    pub batch: u64,
    /// The arrival time of the batch, in nanoseconds since the Unix epoch.
    pub time: u64,
    /// The content, of at most `u32::MAX` bytes.
    pub body: Vec<u8>,
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

    /// Appends records with one write. They are durable after the next [`sync`](Self::sync).
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

    /// Visits the stored records from batch `from` on, in order, until `visit` breaks.
    ///
    /// Removed records are not visited: see [`first_batch`](Self::first_batch).
    ///
    /// # Errors
    ///
    /// If a segment cannot be read, or if it was damaged after the journal was opened.
    fn read(
        &mut self,
        from: u64,
        visit: &mut dyn FnMut(StoredRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), JournalError>;

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

/// Visits the records of a segment from the batch `from` on, until `visit` breaks.
pub(crate) fn visit_records(
    (head, generation): (&JournalHead, u64),
    records: &[JournalRecord],
    from: u64,
    visit: &mut dyn FnMut(StoredRecord<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut records = records.iter().filter(|record| record.batch >= from);
    records.try_for_each(|record| {
        visit(StoredRecord {
            record,
            head,
            generation,
        })
    })
}

/// Fails if the records are not consecutive from the batch `next`, or if one is too long.
pub(crate) fn check_records(next: u64, records: &[JournalRecord]) -> Result<(), JournalError> {
    for (record, expected) in records.iter().zip(next..) {
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
    }
    Ok(())
}
