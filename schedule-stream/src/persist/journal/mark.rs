//! The mark file: the batch that a program applies, in a file that is not synced. It outlives the process, but perhaps not the machine.
//!
//! The page `docs/journal-format.md` describes the bytes.

use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::JournalError;
use super::disk::{Disk, DiskFile};
use super::open_directory::OpenDirectory;

/// The name of the file.
const NAME: &str = "mark";
const MAGIC: [u8; 8] = *b"SCHEDMRK";
const VERSION: u32 = 1;
/// Size in bytes of the part before the content: the magic bytes, the version, the checksum, and the size of the content.
const HEADER_BYTES: usize = 20;
/// Maximum size of the content in bytes. It is above that of a mark with the maximum number of batches and of deaths.
const MAX_CONTENT: usize = 4096 - HEADER_BYTES;

/// Maximum number of batches in [`JournalMark::suspects`].
pub const MAX_SUSPECTS: usize = 4;
/// Maximum number of positions in [`SuspectBatch::deaths`].
pub const MAX_DEATHS: usize = 32;

/// The batch that a program applies, and those in which a process has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalMark {
    /// The number of the start of the machine: see [`Disk::machine_start`].
    pub machine_start: u128,
    /// The events that are applied. `None` between two batches.
    pub range: Option<MarkedRange>,
    /// The batches in which a process has ended, the oldest mark first. At most [`MAX_SUSPECTS`].
    pub suspects: Vec<SuspectBatch>,
}

/// Events of a batch that are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedRange {
    /// The batch.
    pub batch: MarkedBatch,
    /// The index of the first event.
    pub first: u32,
    /// The index of the last event.
    pub last: u32,
}

/// A batch in a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedBatch {
    /// The number of the batch.
    pub number: u64,
    /// A checksum of its record. The mark is void if the journal has no such record.
    pub checksum: u32,
    /// Whether a program may have applied the batch completely before, and released its outcomes.
    pub may_be_released: bool,
}

/// A batch in which a process has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuspectBatch {
    /// The batch.
    pub batch: MarkedBatch,
    /// The indices of events at which a process has ended, each with the number of these ends. Only ends under a mark of one event. At
    /// most [`MAX_DEATHS`].
    pub deaths: Vec<(u32, u32)>,
}

/// Storage for a [`JournalMark`].
pub trait MarkStore: Send {
    /// Returns the mark that was written last, or `None` if there is none, if it is not whole, or if the machine was started again since
    /// then. In the last case it is unknown whether it was the last one.
    ///
    /// # Errors
    ///
    /// If the mark cannot be read.
    fn read(&mut self) -> Result<Option<JournalMark>, JournalError>;

    /// Replaces the mark. The end of the process does not destroy it. Sets the start of the machine.
    ///
    /// # Errors
    ///
    /// If the mark cannot be written.
    fn write(&mut self, mark: &mut JournalMark) -> Result<(), JournalError>;
}

/// The mark in a file of a journal directory.
#[derive(Debug)]
pub(super) struct FileMark<D: Disk> {
    directory: Arc<OpenDirectory<D>>,
    file: D::File,
    machine_start: u128,
    /// The bytes that are written. Kept, so that its memory is reused.
    bytes: Vec<u8>,
}

impl<D: Disk> FileMark<D> {
    /// Opens or creates the file. Returns `None` if files of this disk cannot be overwritten.
    pub(super) fn open(directory: &Arc<OpenDirectory<D>>) -> Result<Option<Self>, JournalError> {
        let disk = &directory.disk;
        if !D::File::CAN_OVERWRITE {
            return Ok(None);
        }
        let file = match disk.open_writable(NAME) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let created = disk.create(NAME);
                created.map_err(|error| directory.io("create", NAME, error))?;
                disk.open_writable(NAME)
            }
            opened => opened,
        };
        Ok(Some(Self {
            file: file.map_err(|error| directory.io("open", NAME, error))?,
            machine_start: disk.machine_start(),
            bytes: Vec::new(),
            directory: Arc::clone(directory),
        }))
    }
}

impl<D: Disk> MarkStore for FileMark<D> {
    fn read(&mut self) -> Result<Option<JournalMark>, JournalError> {
        let mut bytes = vec![0; HEADER_BYTES + MAX_CONTENT];
        let mut n_read = 0;
        loop {
            let read = self.file.read_at(n_read as u64, &mut bytes[n_read..]);
            match read.map_err(|error| self.directory.io("read", NAME, error))? {
                0 => break,
                n => n_read += n,
            }
        }
        let mark = decode(&bytes[..n_read]);
        Ok(mark.filter(|mark| mark.machine_start == self.machine_start))
    }

    fn write(&mut self, mark: &mut JournalMark) -> Result<(), JournalError> {
        mark.machine_start = self.machine_start;
        encode(mark, &mut self.bytes);
        let written = self.file.overwrite(&self.bytes);
        written.map_err(|error| self.directory.io("write", NAME, error))
    }
}

fn encode(mark: &JournalMark, to: &mut Vec<u8>) {
    to.clear();
    to.extend_from_slice(&MAGIC);
    to.extend_from_slice(&VERSION.to_le_bytes());
    to.extend_from_slice(&[0; 8]);
    let content = core::mem::take(to);
    *to = postcard::to_extend(mark, content).expect("numbers can be serialized");
    let n_bytes = (to.len() - HEADER_BYTES) as u32;
    to[16..HEADER_BYTES].copy_from_slice(&n_bytes.to_le_bytes());
    let checksum = crc32fast::hash(&to[16..]);
    to[12..16].copy_from_slice(&checksum.to_le_bytes());
}

/// Returns `None` if the bytes are not a whole mark. Bytes of a longer mark may follow it.
fn decode(bytes: &[u8]) -> Option<JournalMark> {
    let rest = bytes
        .strip_prefix(&MAGIC)?
        .strip_prefix(&VERSION.to_le_bytes())?;
    let (checksum, rest) = rest.split_first_chunk()?;
    let n_bytes = u32::from_le_bytes(*rest.first_chunk()?) as usize;
    let whole = rest.get(..n_bytes.checked_add(4)?)?;
    if crc32fast::hash(whole) != u32::from_le_bytes(*checksum) {
        return None;
    }
    postcard::from_bytes(&whole[4..]).ok()
}

/// A mark in memory, for tests and for journals in memory. A clone has the same mark.
#[derive(Clone, Debug, Default)]
pub struct MemoryMark(Arc<std::sync::Mutex<Option<JournalMark>>>);

impl MemoryMark {
    /// Returns a storage without a mark.
    pub fn new() -> Self {
        Self::default()
    }
}

impl MarkStore for MemoryMark {
    fn read(&mut self) -> Result<Option<JournalMark>, JournalError> {
        let mark = self.0.lock();
        Ok(mark
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone())
    }

    fn write(&mut self, mark: &mut JournalMark) -> Result<(), JournalError> {
        let stored = self.0.lock();
        *stored.unwrap_or_else(std::sync::PoisonError::into_inner) = Some(mark.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(number: u64) -> MarkedBatch {
        MarkedBatch {
            number,
            checksum: u32::MAX,
            may_be_released: true,
        }
    }

    /// The largest mark fits, and a shorter one that is written over it is read.
    #[test]
    fn mark_is_read_as_it_was_written() {
        let largest = JournalMark {
            machine_start: u128::MAX,
            range: Some(MarkedRange {
                batch: batch(u64::MAX),
                first: u32::MAX,
                last: u32::MAX,
            }),
            suspects: vec![
                SuspectBatch {
                    batch: batch(u64::MAX),
                    deaths: vec![(u32::MAX, u32::MAX); MAX_DEATHS],
                };
                MAX_SUSPECTS
            ],
        };
        let (mut file, mut bytes) = (Vec::new(), Vec::new());
        encode(&largest, &mut file);
        assert!(file.len() <= HEADER_BYTES + MAX_CONTENT, "{}", file.len());
        assert_eq!(decode(&file).as_ref(), Some(&largest));
        encode(&JournalMark::default(), &mut bytes);
        file[..bytes.len()].copy_from_slice(&bytes);
        assert_eq!(decode(&file), Some(JournalMark::default()));
    }

    #[test]
    fn mark_that_is_not_whole_is_void() {
        let mark = JournalMark {
            suspects: vec![SuspectBatch {
                batch: batch(5),
                deaths: vec![(3, 1)],
            }],
            ..JournalMark::default()
        };
        let mut bytes = Vec::new();
        encode(&mark, &mut bytes);
        for n in 0..bytes.len() {
            assert_eq!(decode(&bytes[..n]), None, "{n}");
            bytes[n] ^= 1;
            assert_eq!(decode(&bytes), None, "{n}");
            bytes[n] ^= 1;
        }
        assert_eq!(decode(&bytes), Some(mark));
    }
}
