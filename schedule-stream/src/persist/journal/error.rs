//! Errors of journals and snapshots.

use core::error::Error;
use core::fmt::{self, Display, Formatter};
use std::io;
use std::path::PathBuf;

/// An error of a journal or of snapshots. It names the file, and where there are any, the position in the file and the batch.
#[derive(Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// The operating system reports an error.
    #[non_exhaustive]
    Io {
        /// The operation, as in "cannot `sync`".
        action: &'static str,
        /// The file or directory.
        file: PathBuf,
        /// The position in bytes, if the operation has one.
        offset: Option<u64>,
        /// The first batch that is affected, if there is one.
        batch: Option<u64>,
        /// The error.
        source: io::Error,
    },
    /// The disk is full.
    #[non_exhaustive]
    Full {
        /// The file.
        file: PathBuf,
        /// The position of the write in bytes.
        offset: u64,
        /// The first batch of the write.
        batch: u64,
    },
    /// Durable data is not as it was written.
    #[non_exhaustive]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The position in bytes.
        offset: u64,
        /// The first batch that cannot be read.
        batch: u64,
        /// The part that is damaged, and the proof that it was durable.
        damage: Damage,
    },
    /// Two segments do not follow each other, so a file is missing or was added.
    #[non_exhaustive]
    Gap {
        /// The second segment.
        file: PathBuf,
        /// The first batch that must be there.
        expected: u64,
        /// The first batch that is there.
        found: u64,
    },
    /// A file was written by another version of this crate.
    #[non_exhaustive]
    FormatVersion {
        /// The file.
        file: PathBuf,
        /// Its format version.
        found: u32,
        /// The newest format version that this crate reads.
        supported: u32,
    },
    /// A segment was written under rules that this crate does not know.
    #[non_exhaustive]
    Rules {
        /// The file, or the message in another program.
        place: String,
        /// The number of its rules.
        found: u32,
        /// The newest [rules](super::RULES) that this crate knows.
        supported: u32,
    },
    /// An entry has a kind that this crate does not know and must not skip.
    #[non_exhaustive]
    UnknownEntry {
        /// The place: a byte of a file, or a message in another program.
        place: String,
        /// Its batch, or the batch after it.
        batch: u64,
        /// The number of its [kind](super::EntryKind).
        kind: u16,
    },
    /// The directory is open already, in this process or another one.
    #[non_exhaustive]
    Locked {
        /// The directory.
        directory: PathBuf,
    },
    /// A write or a sync failed earlier, so it is unknown which data is durable.
    #[non_exhaustive]
    Closed {
        /// The text of the first error.
        cause: String,
    },
    /// The directory was opened by [`open_read_only`](super::open_read_only).
    ReadOnly,
    /// [`Journal::append`](super::Journal::append) was called before [`Journal::start`](super::Journal::start).
    #[non_exhaustive]
    NotStarted,
    /// Records that do not follow each other were appended.
    #[non_exhaustive]
    NotConsecutive {
        /// The batch that must be next.
        expected: u64,
        /// The batch that was given.
        found: u64,
    },
    /// A file or a message has the highest possible number, so no generation or batch can follow. No journal writes such a number.
    #[non_exhaustive]
    LastNumber {
        /// `generation` or `batch`.
        of: &'static str,
    },
    /// A record or a head is too long for the format.
    #[non_exhaustive]
    TooLong {
        /// The batch, or the first batch of the segment.
        batch: u64,
        /// The size in bytes.
        n_bytes: u64,
    },
    /// A snapshot was written for a batch that is not synced.
    #[non_exhaustive]
    NotSynced {
        /// The batch of the snapshot.
        batch: u64,
        /// The newest batch that is synced. 0 if there is none.
        synced: u64,
    },
    /// The snapshot of this batch does not exist.
    #[non_exhaustive]
    MissingSnapshot {
        /// The batch.
        batch: u64,
    },
    /// A journal in another program cannot be reached, or that program reports an error.
    #[non_exhaustive]
    Remote {
        /// The operation, as in "cannot `read`".
        action: &'static str,
        /// The other program, or the journal there, as in "JetStream stream `exchange`".
        service: String,
        /// The error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Another process writes this journal, so this one must not write it any more.
    #[non_exhaustive]
    Fenced {
        /// The stream of messages with the journal.
        stream: String,
        /// The sequence number of the message that this process would have written.
        sequence: u64,
    },
    /// A message of a journal in another program is not as it was written.
    #[non_exhaustive]
    DamagedMessage {
        /// The stream of messages with the journal.
        stream: String,
        /// The sequence number of the message.
        sequence: u64,
        /// The first batch that cannot be read.
        batch: u64,
        /// The problem, after "message 7".
        problem: &'static str,
    },
}

/// The part of a file that is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// The head of a segment is not whole.
    SegmentHead,
    /// The head of a segment does not agree with the name of the file.
    SegmentName,
    /// A record is not whole. It was durable, because a segment that was created later exists.
    RecordBeforeSegment {
        /// The file of the later segment.
        later: PathBuf,
    },
    /// A record is not whole. It was durable, because a later record was written after its sync.
    RecordBeforeRecord {
        /// The batch of the later record.
        later: u64,
    },
    /// A record is missing or not whole. It was durable, because a snapshot of its batch or a later one exists.
    RecordBeforeSnapshot {
        /// The batch of the snapshot.
        snapshot: u64,
    },
    /// A record is whole, but it has the number of another batch.
    RecordNumber {
        /// The batch of the record.
        found: u64,
    },
    /// A record was whole when the journal was opened or appended to, and is not whole now.
    Record,
    /// A snapshot is not whole.
    Snapshot,
}

impl Display for JournalError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io {
                action,
                file,
                offset,
                batch,
                source,
            } => {
                write!(f, "cannot {action} `{}`", file.display())?;
                if let Some(offset) = offset {
                    write!(f, " at byte {offset}")?;
                }
                if let Some(batch) = batch {
                    write!(f, ", batch {batch}")?;
                }
                write!(f, ": {source}")
            }
            Self::Full {
                file,
                offset,
                batch,
            } => write!(
                f,
                "cannot write batch {batch} at byte {offset} of `{}`: the disk is full; free some space",
                file.display()
            ),
            Self::Damaged {
                file,
                offset,
                batch,
                damage,
            } => {
                let file = file.display();
                match damage {
                    Damage::SegmentHead => write!(
                        f,
                        "the head at byte {offset} of `{file}`, whose first batch is {batch}, is damaged"
                    ),
                    Damage::SegmentName => write!(
                        f,
                        "the head at byte {offset} of `{file}` does not agree with the file name, whose first batch is {batch}"
                    ),
                    Damage::RecordBeforeSegment { later } => write!(
                        f,
                        "batch {batch} at byte {offset} of `{file}` is damaged: it was synced before `{}` was created",
                        later.display()
                    ),
                    Damage::RecordBeforeRecord { later } => write!(
                        f,
                        "batch {batch} at byte {offset} of `{file}` is damaged: it was synced before batch {later} was written"
                    ),
                    Damage::RecordBeforeSnapshot { snapshot } => write!(
                        f,
                        "batch {batch} at byte {offset} of `{file}` is damaged: it was synced before the snapshot of batch {snapshot} was written"
                    ),
                    Damage::RecordNumber { found } => write!(
                        f,
                        "batch {batch} at byte {offset} of `{file}` is damaged: batch {found} is in its place"
                    ),
                    Damage::Record => {
                        write!(f, "batch {batch} at byte {offset} of `{file}` is damaged")
                    }
                    Damage::Snapshot => {
                        return write!(
                            f,
                            "the snapshot of batch {batch} at byte {offset} of `{file}` is damaged; use an older snapshot"
                        );
                    }
                }?;
                write!(f, "; restore the file from a backup")
            }
            Self::Gap {
                file,
                expected,
                found,
            } => write!(
                f,
                "`{}` must begin with batch {expected}, but begins with batch {found}; restore the segments before it from a backup",
                file.display()
            ),
            Self::FormatVersion {
                file,
                found,
                supported,
            } => write!(
                f,
                "`{}` has format version {found}, but this program supports only versions up to {supported}; use the program that wrote the \
                 file, or a newer one",
                file.display()
            ),
            Self::Rules {
                place,
                found,
                supported,
            } => write!(
                f,
                "{place} has batches under rules {found}, but this program knows only rules up to {supported}; use the program that \
                 wrote them, or a newer one"
            ),
            Self::UnknownEntry { place, batch, kind } => write!(
                f,
                "the entry at {place}, at batch {batch}, has kind {kind}, which this program does not know and must not skip; use the \
                 program that wrote it, or a newer one"
            ),
            Self::Locked { directory } => write!(
                f,
                "`{}` is already open in this process or another one; close it there first",
                directory.display()
            ),
            Self::Closed { cause } => write!(
                f,
                "the journal is closed, because an earlier operation failed: {cause}; open the journal again"
            ),
            Self::ReadOnly => f.write_str(
                "the journal was opened to be read only, so it cannot be changed; open it with `open`",
            ),
            Self::NotStarted => {
                write!(f, "cannot append to a journal before `start` was called")
            }
            Self::NotConsecutive { expected, found } => write!(
                f,
                "cannot append batch {found}: the next batch must be {expected}"
            ),
            Self::LastNumber { of } => write!(
                f,
                "no {of} can follow {}, the highest number, which a file or a message of the journal has: no journal has written it, so \
                 remove it",
                u64::MAX
            ),
            Self::TooLong { batch, n_bytes } => write!(
                f,
                "cannot write batch {batch}: it has {n_bytes} bytes, and the maximum is {}; divide it into smaller batches",
                u32::MAX
            ),
            Self::NotSynced { batch, synced } => write!(
                f,
                "cannot write a snapshot of batch {batch}: the newest synced batch is {synced}; sync the journal first"
            ),
            Self::MissingSnapshot { batch } => write!(
                f,
                "the snapshot of batch {batch} is missing; `list` returns the existing ones"
            ),
            Self::Remote {
                action,
                service,
                source,
            } => write!(f, "cannot {action} {service}: {source}"),
            Self::Fenced { stream, sequence } => write!(
                f,
                "cannot write message {sequence} of stream `{stream}`: another process writes this journal; end one of the two"
            ),
            Self::DamagedMessage {
                stream,
                sequence,
                batch,
                problem,
            } => write!(
                f,
                "message {sequence} of stream `{stream}`, needed for batch {batch}, {problem}; restore the stream from a backup"
            ),
        }
    }
}

impl Error for JournalError {}

impl JournalError {
    /// The error of an operation without a position.
    pub(crate) fn damaged_snapshot(file: PathBuf, batch: u64) -> Self {
        Self::Damaged {
            file,
            offset: 0,
            batch,
            damage: Damage::Snapshot,
        }
    }

    pub(crate) fn io(action: &'static str, file: PathBuf, source: io::Error) -> Self {
        Self::Io {
            action,
            file,
            offset: None,
            batch: None,
            source,
        }
    }

    /// The error of an operation at a position.
    pub(super) fn io_at(
        action: &'static str,
        file: PathBuf,
        offset: u64,
        batch: u64,
        source: io::Error,
    ) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull => Self::Full {
                file,
                offset,
                batch,
            },
            _ => Self::Io {
                action,
                file,
                offset: Some(offset),
                batch: Some(batch),
                source,
            },
        }
    }

    /// Whether a file or a snapshot does not exist.
    pub(super) fn is_missing(&self) -> bool {
        self.is_not_found() || matches!(self, Self::MissingSnapshot { .. })
    }

    /// Whether a file does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
