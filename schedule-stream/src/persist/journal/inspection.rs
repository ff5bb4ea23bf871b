//! Inspection of a journal directory.

use core::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use super::dead_letter::DeadLetterEntry;
use super::disk::Disk;
use super::error::{Damage, JournalError};
use super::examination::{self, Examination, ExaminedSegment};
use super::format;
use super::opening::Cut;
use super::{EntryKind, JournalHead};

/// The maximum number of times that the files are read, because a program changes them meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// The files of a journal directory, with all errors. It displays as a list for people.
#[derive(Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// The segments in the order of creation.
    pub segments: Vec<SegmentInfo>,
    /// The snapshots, the newest first.
    pub snapshots: Vec<SnapshotInfo>,
    /// The end of the journal that was never synced. The next [`open`](super::open) cuts it off. If the journal is open, it is the
    /// beginning of a group that is being written.
    pub torn: Option<Cut>,
    /// Files that are not complete. The next [`open`](super::open) removes them. If the directory is open, they are being written.
    pub unfinished: Vec<PathBuf>,
}

/// A segment of a journal.
#[derive(Debug)]
#[non_exhaustive]
pub struct SegmentInfo {
    /// The file.
    pub file: PathBuf,
    /// Size of the file in bytes. 0 if the head cannot be read.
    pub n_bytes: u64,
    /// The number of the start of the program that created the segment.
    pub generation: u64,
    /// The program that created the segment, or `None` if the head cannot be read.
    pub head: Option<JournalHead>,
    /// The format version. 0 if the head cannot be read.
    pub format: u32,
    /// The [rules](super::RULES) under which its batches were written. 0 if the head cannot be read.
    pub rules: u32,
    /// The number of the first batch, also if there are no batches.
    pub first_batch: u64,
    /// The number of whole batches before the first error.
    pub n_batches: u64,
    /// The kinds of the whole entries that are not batches, each with the number of entries.
    pub notes: Vec<(EntryKind, u64)>,
    /// The dead letters among them.
    pub dead_letters: Vec<DeadLetterEntry>,
    /// The first error.
    pub error: Option<JournalError>,
}

/// A snapshot.
#[derive(Debug)]
#[non_exhaustive]
pub struct SnapshotInfo {
    /// The file.
    pub file: PathBuf,
    /// The batch.
    pub batch: u64,
    /// Size of the state in bytes. 0 if the snapshot cannot be read.
    pub n_bytes: u64,
    /// The error, if the snapshot cannot be used.
    pub error: Option<JournalError>,
}

/// Reads all segments and snapshots of a directory. Nothing is changed, and the directory may be open in another process.
///
/// ```
/// use schedule_stream::journal::{self, Directory};
///
/// # let path = std::env::temp_dir().join(format!("schedule-inspect-{}", std::process::id()));
/// drop(journal::open(&path)?);
/// let inspection = journal::inspect(&Directory::existing(&path)?)?;
/// assert!(inspection.error().is_none());
/// assert_eq!(inspection.to_string(), "segments: 0\nsnapshots: 0\n");
/// # std::fs::remove_dir_all(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the directory cannot be listed. Errors of files are in the result.
pub fn inspect<D: Disk>(disk: &D) -> Result<Inspection, JournalError> {
    let mut examined = examination::examine(disk, true)?;
    for _ in 1..MAX_ATTEMPTS {
        if !may_be_outdated(&examined) {
            break;
        }
        examined = examination::examine(disk, true)?;
    }
    // A listed file that is missing has been removed meanwhile. Segments are removed from the first one on.
    let is_removed = |segment: &ExaminedSegment| {
        let error = segment.error.as_ref();
        error.is_some_and(JournalError::is_not_found)
    };
    let n_removed = examined
        .segments
        .iter()
        .take_while(|one| is_removed(one))
        .count();
    examined.segments.drain(..n_removed);
    examined
        .snapshots
        .retain(|snapshot| !snapshot.result.as_ref().is_err_and(is_missing));
    let last = examined.segments.last();
    let torn = last
        .filter(|last| last.error.is_none() && last.n_bytes > last.n_whole)
        .map(|last| Cut {
            file: disk.path(&last.id.file_name()),
            offset: last.n_whole,
            n_bytes: last.n_bytes - last.n_whole,
            batch: last.next,
        });
    let segment_info = |segment: ExaminedSegment| {
        let of = segment.head.as_ref();
        SegmentInfo {
            file: disk.path(&segment.id.file_name()),
            n_bytes: segment.n_bytes,
            generation: segment.id.generation,
            format: of.map_or(0, |of| of.format.version()),
            rules: of.map_or(0, |of| of.rules),
            head: segment.head.map(|of| of.head),
            first_batch: segment.id.first,
            n_batches: segment.next - segment.id.first,
            notes: segment.notes,
            dead_letters: segment.dead_letters,
            error: segment.error,
        }
    };
    let snapshots = examined.snapshots.into_iter().map(|snapshot| {
        let (n_bytes, error) = match snapshot.result {
            Ok(n_bytes) => (n_bytes, None),
            Err(error) => (0, Some(error)),
        };
        SnapshotInfo {
            file: disk.path(&format::snapshot_name(snapshot.batch)),
            batch: snapshot.batch,
            n_bytes,
            error,
        }
    });
    let unfinished = examined.unfinished.iter().map(|name| disk.path(name));
    Ok(Inspection {
        snapshots: snapshots.collect(),
        torn,
        unfinished: unfinished.collect(),
        segments: examined.segments.into_iter().map(segment_info).collect(),
    })
}

fn is_missing(error: &JournalError) -> bool {
    matches!(error, JournalError::MissingSnapshot { .. })
}

/// Whether a program may have created or removed files while they were listed and read.
fn may_be_outdated(examined: &Examination) -> bool {
    let segments = examined.segments.iter();
    let mut errors = segments.filter_map(|segment| segment.error.as_ref());
    let is_outdated = |error: &JournalError| match error {
        JournalError::Gap { .. } => true,
        JournalError::Damaged { damage, .. } => {
            matches!(damage, Damage::RecordBeforeSnapshot { .. })
        }
        error => error.is_not_found(),
    };
    let mut snapshots = examined.snapshots.iter();
    errors.any(is_outdated)
        || snapshots.any(|snapshot| snapshot.result.as_ref().is_err_and(is_missing))
}

impl Inspection {
    /// Returns the first error of a segment or a snapshot. A torn end is not an error.
    pub fn error(&self) -> Option<&JournalError> {
        let segments = self.segments.iter().map(|segment| &segment.error);
        let snapshots = self.snapshots.iter().map(|snapshot| &snapshot.error);
        segments.chain(snapshots).flatten().next()
    }

    /// Returns the events that are not handled again, because they have ended processes.
    pub fn dead_letters(&self) -> impl Iterator<Item = &DeadLetterEntry> {
        self.segments
            .iter()
            .flat_map(|segment| &segment.dead_letters)
    }

    /// Returns the number of whole batches.
    pub fn n_batches(&self) -> u64 {
        self.segments.iter().map(|segment| segment.n_batches).sum()
    }
}

impl Display for Inspection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "segments: {}", self.segments.len())?;
        for segment in &self.segments {
            segment.fmt(f)?;
        }
        writeln!(f, "snapshots: {}", self.snapshots.len())?;
        for snapshot in &self.snapshots {
            let file = file_name(&snapshot.file);
            match &snapshot.error {
                None => writeln!(
                    f,
                    "  {file}: batch {}, {} bytes",
                    snapshot.batch, snapshot.n_bytes
                )?,
                Some(error) => writeln!(f, "  {file}\n    error: {error}")?,
            }
        }
        let n_dead = self.dead_letters().count();
        if n_dead > 0 {
            writeln!(f, "dead letters: {n_dead}")?;
            let mut all = self.dead_letters();
            all.try_for_each(|letter| writeln!(f, "  {letter}"))?;
        }
        if let Some(torn) = &self.torn {
            writeln!(f, "torn: {torn}")?;
        }
        for file in &self.unfinished {
            writeln!(f, "not complete: {}", file_name(file))?;
        }
        Ok(())
    }
}

impl Display for SegmentInfo {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {}", file_name(&self.file))?;
        if let Some(head) = &self.head {
            writeln!(
                f,
                "    program `{}` version {}, generation {}, constants {:#018x}",
                head.program, head.version, self.generation, head.constants
            )?;
            let types = head.types.iter();
            let types: Vec<String> = types
                .map(|(name, version)| format!("`{name}` version {version}"))
                .collect();
            if !types.is_empty() {
                writeln!(f, "    types: {}", types.join(", "))?;
            }
            match self.n_batches {
                0 => write!(f, "    no batches")?,
                n => write!(
                    f,
                    "    batches {} to {}",
                    self.first_batch,
                    self.first_batch + n - 1
                )?,
            }
            writeln!(f, ", {} bytes", self.n_bytes)?;
            writeln!(f, "    format {}, rules {}", self.format, self.rules)?;
            for (kind, n) in &self.notes {
                let skipped = if kind.is_known() { "" } else { ", skipped" };
                writeln!(f, "    entries: {n} of {kind}{skipped}")?;
            }
        }
        match &self.error {
            Some(error) => writeln!(f, "    error: {error}"),
            None => Ok(()),
        }
    }
}

fn file_name(path: &std::path::Path) -> impl Display {
    path.file_name().unwrap_or(path.as_os_str()).display()
}
