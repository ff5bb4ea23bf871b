//! Opening of a journal directory, with or without repair of the end of the journal.

use core::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directory::Directory;
use super::disk::{Disk, DiskFile};
use super::error::JournalError;
use super::examination::{self, ExaminedSegment};
use super::file_journal::{FileJournal, SegmentEntry};
use super::file_snapshots::FileSnapshots;
use super::format::FileKind;
use super::kind::EntryKind;
use super::open_directory::OpenDirectory;

/// A journal and snapshots that were opened together.
#[derive(Debug)]
pub struct Opened<D: Disk = Directory> {
    /// The journal. Call [`Journal::start`](super::Journal::start) before it is appended to.
    pub journal: FileJournal<D>,
    /// The snapshots. They can be used by another thread than the journal.
    pub snapshots: FileSnapshots<D>,
    /// The changes that were made to repair the directory.
    pub recovered: Recovered,
}

/// The repairs of a journal directory when it was opened. It displays as one message for each repair, separated by line ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// The end of the journal that was cut off, because it was never synced.
    pub cut: Option<Cut>,
    /// Files that were removed, because a crash happened while they were written.
    pub removed: Vec<PathBuf>,
    /// Snapshots that are damaged and newer than the newest whole one. They were not changed.
    pub damaged_snapshots: Vec<PathBuf>,
}

/// The end of a segment that is not whole and was never synced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// The file.
    pub file: PathBuf,
    /// The size of the part in bytes that is whole.
    pub offset: u64,
    /// The size of the part in bytes that is not whole.
    pub n_bytes: u64,
    /// The first batch that is not whole.
    pub batch: u64,
}

impl Recovered {
    /// Whether nothing had to be repaired.
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

impl Display for Recovered {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(cut) = &self.cut {
            write!(f, "{cut}; they were cut off")?;
            separator = "\n";
        }
        for file in &self.removed {
            let file = file.display();
            write!(
                f,
                "{separator}`{file}` was not complete when the program ended; it was removed"
            )?;
            separator = "\n";
        }
        for file in &self.damaged_snapshots {
            let file = file.display();
            write!(
                f,
                "{separator}`{file}` is damaged and is not used; an older snapshot is used"
            )?;
            separator = "\n";
        }
        Ok(())
    }
}

impl Display for Cut {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} bytes at byte {} of `{}` are a torn write of batch {}",
            self.n_bytes,
            self.offset,
            self.file.display(),
            self.batch
        )
    }
}

/// Opens the journal and the snapshots in a directory. The directory is created if it does not exist.
///
/// All records and snapshots of the result are durable. The end of the journal is cut off if a crash tore it before it was synced.
/// All records are read and checked.
///
/// Until both are dropped, the directory cannot be opened again, in this process or another one. Files with other names are
/// ignored.
///
/// # Errors
///
/// - [`JournalError::Locked`] if the directory is open already.
/// - [`JournalError::Damaged`] or [`JournalError::Gap`] if a durable record cannot be read. Nothing is changed then.
/// - [`JournalError::FormatVersion`], [`JournalError::Rules`] or [`JournalError::UnknownEntry`] if a newer version of this crate wrote a
///   file.
/// - [`JournalError::Io`] if the directory cannot be read or repaired.
///
/// See [the module](super) for an example.
pub fn open(path: impl AsRef<Path>) -> Result<Opened, JournalError> {
    let path = path.as_ref();
    let disk = Directory::create(path);
    open_on(disk.map_err(|error| JournalError::io("open", path.to_owned(), error))?)
}

/// Like [`open`], on a disk.
///
/// # Errors
///
/// Those of [`open`].
pub fn open_on<D: Disk>(disk: D) -> Result<Opened<D>, JournalError> {
    let lock = lock(&disk)?;
    let mut found = FoundFiles::of(&disk)?;

    // From here on, the directory is changed.
    let directory = OpenDirectory::new(disk, Some(lock), found.next.saturating_sub(1));
    if let Some((name, n_whole, n_bytes)) = found.torn.take() {
        // An earlier program may have ended before it synced the whole records.
        let repaired = repair_end(&directory.disk, &name, n_whole, n_bytes);
        repaired.map_err(|error| directory.io("repair", &name, error))?;
        if n_bytes > n_whole {
            found.recovered.cut = Some(Cut {
                file: directory.disk.path(&name),
                offset: n_whole,
                n_bytes: n_bytes - n_whole,
                batch: found.next,
            });
        }
    }
    for name in core::mem::take(&mut found.unfinished) {
        directory.remove(&name)?;
        let file = directory.disk.path(&name);
        found.recovered.removed.push(file);
    }
    // An earlier program may also have ended before it synced the names.
    directory.sync_names()?;
    Ok(found.into_opened(directory))
}

/// Opens the journal and the snapshots in a directory to read them only, for example on a full disk. The directory must exist. Nothing is
/// locked, repaired or changed, so another program may have it open.
///
/// The result has all whole records. The last of them may not be durable. Calls that change something fail with
/// [`JournalError::ReadOnly`]. If another program removes files meanwhile, calls that read them fail: then open the directory again.
///
/// # Errors
///
/// - [`JournalError::Damaged`] or [`JournalError::Gap`] if a durable record cannot be read.
/// - [`JournalError::FormatVersion`], [`JournalError::Rules`] or [`JournalError::UnknownEntry`] if a newer version of this crate wrote a
///   file.
/// - [`JournalError::Io`] if the directory cannot be read.
pub fn open_read_only(path: impl AsRef<Path>) -> Result<Opened, JournalError> {
    let path = path.as_ref();
    let disk = Directory::existing(path);
    open_read_only_on(disk.map_err(|error| JournalError::io("open", path.to_owned(), error))?)
}

/// Like [`open_read_only`], on a disk.
///
/// # Errors
///
/// Those of [`open_read_only`].
pub fn open_read_only_on<D: Disk>(disk: D) -> Result<Opened<D>, JournalError> {
    let mut found = FoundFiles::of(&disk);
    for _ in 1..EXAMINATIONS {
        match found {
            Err(error) if error.is_missing() => found = FoundFiles::of(&disk),
            _ => break,
        }
    }
    let found = found?;
    let directory = OpenDirectory::new(disk, None, found.next.saturating_sub(1));
    Ok(found.into_opened(directory))
}

/// Number of attempts to read the files of a directory that another program has open. It removes some of them after a snapshot.
const EXAMINATIONS: usize = 4;

/// The files of a directory, without damage.
struct FoundFiles {
    segments: Vec<SegmentEntry>,
    /// The kinds of the entries of all segments, except batches, each once.
    notes: Vec<EntryKind>,
    /// The number of the next batch.
    next: u64,
    /// The highest generation.
    generation: u64,
    /// The newest segment: its name, the size of its whole part and its size, both in bytes.
    torn: Option<(String, u64, u64)>,
    /// The names of files that were not complete when a program ended.
    unfinished: Vec<String>,
    /// Only the damaged snapshots.
    recovered: Recovered,
}

impl FoundFiles {
    /// Reads all files.
    fn of<D: Disk>(disk: &D) -> Result<Self, JournalError> {
        let examined = examination::examine(disk, false)?;
        let mut recovered = Recovered::default();
        let mut newest_snapshot = None;
        for snapshot in examined.snapshots {
            match snapshot.result {
                Ok(_) => newest_snapshot = Some(snapshot.batch),
                Err(JournalError::Damaged { file, .. }) => recovered.damaged_snapshots.push(file),
                Err(error) => return Err(error),
            }
        }
        let mut found = Self {
            segments: Vec::new(),
            notes: Vec::new(),
            next: newest_snapshot.map_or(1, |batch| batch.saturating_add(1)),
            generation: examined.generation,
            torn: None,
            unfinished: examined.unfinished,
            recovered,
        };
        for segment in examined.segments {
            found.push(segment)?;
        }
        Ok(found)
    }

    fn push(&mut self, segment: ExaminedSegment) -> Result<(), JournalError> {
        let ExaminedSegment {
            id,
            head,
            next,
            n_entries,
            last,
            n_whole,
            n_bytes,
            notes,
            error,
            ..
        } = segment;
        if let Some(error) = error {
            return Err(error);
        }
        let head = head.expect("a segment without an error has a head");
        self.next = next;
        for (kind, _) in notes {
            if !self.notes.contains(&kind) {
                self.notes.push(kind);
            }
        }
        self.torn = Some((id.file_name(), n_whole, n_bytes));
        self.segments.push(SegmentEntry {
            id,
            head: head.head,
            n_entries,
            last,
            n_bytes: n_whole,
        });
        Ok(())
    }

    fn into_opened<D: Disk>(self, directory: OpenDirectory<D>) -> Opened<D> {
        let directory = Arc::new(directory);
        Opened {
            journal: FileJournal::new(
                Arc::clone(&directory),
                self.segments,
                self.notes,
                self.next,
                self.generation,
            ),
            snapshots: FileSnapshots::new(directory),
            recovered: self.recovered,
        }
    }
}

/// Opens the snapshots in a directory whose journal is elsewhere. The directory is created if it does not exist.
///
/// It is locked until they are dropped. [`Snapshots::write`](super::Snapshots::write) does not know which batches are durable in the
/// other journal.
///
/// # Errors
///
/// - [`JournalError::Locked`] if the directory is open already.
/// - [`JournalError::Io`] if the directory cannot be read or repaired.
pub fn open_snapshots(path: impl AsRef<Path>) -> Result<FileSnapshots, JournalError> {
    let path = path.as_ref();
    let disk = Directory::create(path)
        .map_err(|error| JournalError::io("open", path.to_owned(), error))?;
    let lock = lock(&disk)?;
    let directory = OpenDirectory::new(disk, Some(lock), u64::MAX);
    let names = directory.disk.list();
    for name in names.map_err(|error| directory.io("list", "", error))? {
        if let Some(FileKind::UnfinishedSnapshot) = FileKind::of(&name) {
            directory.remove(&name)?;
        }
    }
    directory.sync_names()?;
    Ok(FileSnapshots::new(Arc::new(directory)))
}

fn lock<D: Disk>(disk: &D) -> Result<D::Lock, JournalError> {
    let lock = disk.lock();
    let lock = lock.map_err(|error| JournalError::io("lock", disk.path(""), error))?;
    lock.ok_or_else(|| JournalError::Locked {
        directory: disk.path(""),
    })
}

/// Cuts off the end of the newest segment that is not whole, and syncs the segment.
fn repair_end<D: Disk>(disk: &D, name: &str, n_whole: u64, n_bytes: u64) -> io::Result<()> {
    let mut file = disk.open_writable(name)?;
    if n_bytes > n_whole {
        file.truncate(n_whole)?;
    }
    file.sync_data()
}
