//! Reading of segments, one entry after another.

use std::path::PathBuf;

use super::disk::{Disk, DiskFile};
use super::error::{Damage, JournalError};
use super::format::{
    self, EntryHeader, PREAMBLE_BYTES, SEGMENT_MAGIC, SEGMENT_VERSION, SegmentFormat, SegmentHead,
    SegmentId,
};
use super::part_checksums::PartChecksums;
use super::{EntryKind, JournalRecord, RULES};

/// Size in bytes of a read.
const CHUNK: usize = 256 << 10;

/// Bytes of a file from a moving offset to a fixed end.
#[derive(Debug)]
pub(super) struct FileWindow<F> {
    file: F,
    pub(super) path: PathBuf,
    /// The batch that errors name.
    pub(super) batch: u64,
    /// The position of the window in bytes.
    pub(super) offset: u64,
    /// The size in bytes of the part of the file that is read. Never more than the size of the file when it was opened.
    pub(super) n_bytes: u64,
    /// The bytes from `offset` that were read already, from index `start` on.
    buffer: Vec<u8>,
    start: usize,
}

impl<F: DiskFile> FileWindow<F> {
    /// Opens a file that is read from its beginning.
    pub(super) fn open<D: Disk<File = F>>(
        disk: &D,
        name: &str,
        batch: u64,
    ) -> Result<Self, JournalError> {
        let path = disk.path(name);
        let io = |source| JournalError::io("read", path.clone(), source);
        let file = disk.open(name).map_err(io)?;
        let n_bytes = file.n_bytes().map_err(io)?;
        Ok(Self {
            file,
            path,
            batch,
            offset: 0,
            n_bytes,
            buffer: Vec::new(),
            start: 0,
        })
    }

    /// The bytes from the offset to the end.
    pub(super) fn n_left(&self) -> u64 {
        self.n_bytes - self.offset
    }

    /// Returns the next bytes, or `None` if fewer are left.
    pub(super) fn peek(&mut self, n_bytes: usize) -> Result<Option<&[u8]>, JournalError> {
        if n_bytes as u64 > self.n_left() {
            return Ok(None);
        }
        if self.buffer.len() - self.start < n_bytes {
            self.buffer.drain(..self.start);
            self.start = 0;
            let n_left = usize::try_from(self.n_left()).unwrap_or(usize::MAX);
            self.fill(n_bytes.max(CHUNK.min(n_left)))?;
        }
        let end = self.start + n_bytes;
        // The file is shorter than it was: another program changes it.
        Ok(self.buffer.get(self.start..end))
    }

    /// Reads until the buffer has `n_bytes`, or the file ends.
    fn fill(&mut self, n_bytes: usize) -> Result<(), JournalError> {
        let mut n_filled = self.buffer.len();
        self.buffer.resize(n_bytes, 0);
        while n_filled < n_bytes {
            let offset = self.offset + n_filled as u64;
            match self.file.read_at(offset, &mut self.buffer[n_filled..]) {
                Ok(0) => break,
                Ok(n_read) => n_filled += n_read,
                Err(source) => {
                    let path = self.path.clone();
                    return Err(JournalError::io_at(
                        "read", path, offset, self.batch, source,
                    ));
                }
            }
        }
        self.buffer.truncate(n_filled);
        Ok(())
    }

    /// Moves the window by bytes that were peeked.
    pub(super) fn advance(&mut self, n_bytes: usize) {
        self.start += n_bytes;
        self.offset += n_bytes as u64;
    }

    pub(super) fn damaged(&self, damage: Damage) -> JournalError {
        JournalError::Damaged {
            file: self.path.clone(),
            offset: self.offset,
            batch: self.batch,
            damage,
        }
    }

    /// Returns the format version. Fails if the beginning of the file is not whole.
    pub(super) fn version(&mut self, magic: [u8; 8], damage: Damage) -> Result<u32, JournalError> {
        let bytes = self.peek(PREAMBLE_BYTES)?;
        let version = bytes.and_then(|bytes| format::version_of(bytes, magic));
        version.ok_or_else(|| self.damaged(damage))
    }

    /// The error of a file in a format that this crate cannot read. `supported`: the newest one that it can read.
    pub(super) fn other_version(&self, found: u32, supported: u32) -> JournalError {
        JournalError::FormatVersion {
            file: self.path.clone(),
            found,
            supported,
        }
    }
}

/// The result of reading the next entry of a segment.
#[derive(Debug)]
pub(super) enum NextRecord {
    Record(JournalRecord),
    /// All bytes are read.
    End,
    /// The bytes are not a whole entry.
    NotWhole,
    /// The entry is whole, but it is not the next one. It has this batch.
    OtherNumber(u64),
}

/// A segment that is read from its beginning.
#[derive(Debug)]
pub(super) struct SegmentReader<F> {
    id: SegmentId,
    format: SegmentFormat,
    /// Number of entries that were read.
    n_entries: u64,
    /// `window.batch` is the next batch. `window.offset` is the position of the next entry.
    pub(super) window: FileWindow<F>,
}

impl<F: DiskFile> SegmentReader<F> {
    /// Opens a segment, and reads its head.
    pub(super) fn open<D: Disk<File = F>>(
        disk: &D,
        id: SegmentId,
    ) -> Result<(Self, SegmentHead), JournalError> {
        let mut window = FileWindow::open(disk, &id.file_name(), id.first)?;
        let version = window.version(SEGMENT_MAGIC, Damage::SegmentHead)?;
        let format = SegmentFormat::of(version)
            .ok_or_else(|| window.other_version(version, SEGMENT_VERSION))?;
        let n_fixed = format.head_bytes();
        let n_bytes = window
            .peek(n_fixed)?
            .map(|bytes| n_fixed as u64 + u64::from(format::u32_at(bytes, 20)));
        let n_bytes = n_bytes.filter(|n_bytes| *n_bytes <= window.n_bytes);
        let n_bytes = n_bytes.and_then(|n_bytes| usize::try_from(n_bytes).ok());
        let Some(n_bytes) = n_bytes else {
            return Err(window.damaged(Damage::SegmentHead));
        };
        let bytes = window.peek(n_bytes)?;
        let decoded = bytes.and_then(|bytes| format::decode_segment_head(format, bytes));
        let Some(head) = decoded else {
            return Err(window.damaged(Damage::SegmentHead));
        };
        if head.id != id {
            return Err(window.damaged(Damage::SegmentName));
        }
        if !(1..=RULES).contains(&head.rules) {
            return Err(JournalError::Rules {
                place: format!("`{}`", window.path.display()),
                found: head.rules,
                supported: RULES,
            });
        }
        window.advance(n_bytes);
        let reader = Self {
            id,
            format,
            n_entries: 0,
            window,
        };
        Ok((reader, head))
    }

    /// The number of the next batch.
    pub(super) fn next_batch(&self) -> u64 {
        self.window.batch
    }

    /// Number of entries that were read.
    pub(super) fn n_entries(&self) -> u64 {
        self.n_entries
    }

    /// Reads the next entry. After a result other than an entry, the position is unchanged.
    pub(super) fn next(&mut self) -> Result<NextRecord, JournalError> {
        let window = &mut self.window;
        if window.n_left() == 0 {
            return Ok(NextRecord::End);
        }
        let (format, id, n_header) = (self.format, self.id, self.format.header_bytes());
        let decode = |bytes: &[u8]| EntryHeader::decode(format, id, bytes);
        let Some(header) = window.peek(n_header)?.map(decode) else {
            return Ok(NextRecord::NotWhole);
        };
        let n_bytes = n_header.saturating_add(header.n_bytes);
        let Some(bytes) = window.peek(n_bytes)? else {
            return Ok(NextRecord::NotWhole);
        };
        if !format::is_whole_entry(id, bytes) {
            return Ok(NextRecord::NotWhole);
        }
        let record = JournalRecord {
            batch: header.batch,
            kind: header.kind,
            time: header.time,
            body: bytes[n_header..].to_vec(),
        };
        // The number after the last batch must exist, too.
        let is_next = (header.number, record.batch) == (self.n_entries, window.batch);
        if !is_next || record.batch == u64::MAX {
            return Ok(NextRecord::OtherNumber(record.batch));
        }
        if record.kind.must_be_known() {
            return Err(JournalError::UnknownEntry {
                place: format!("byte {} of `{}`", window.offset, window.path.display()),
                batch: record.batch,
                kind: record.kind.number(),
            });
        }
        window.advance(n_bytes);
        self.n_entries += 1;
        if record.kind == EntryKind::BATCH {
            window.batch += 1;
        }
        Ok(NextRecord::Record(record))
    }

    /// Searches the bytes after an entry that is not whole for one that was written after its sync, and returns its batch.
    ///
    /// An entry can be at any offset, because the damaged one may have a wrong length. Takes O(n) for n bytes that are left, and
    /// O(n log n) if the bytes imitate headers.
    pub(super) fn find_later_group(&mut self) -> Result<Option<u64>, JournalError> {
        let n_left = usize::try_from(self.window.n_left()).unwrap_or(usize::MAX);
        let damaged = self.n_entries;
        let (format, id, n_header) = (self.format, self.id, self.format.header_bytes());
        let segment = format::segment_checksum(id);
        let Some(bytes) = self.window.peek(n_left)? else {
            return Ok(None);
        };
        // The number of entries that fit.
        let n_fitting = (bytes.len() / n_header) as u64;
        // Created at the first header: most segments need no checksum here.
        let mut checksums = None;
        let mut offset = 1;
        while bytes.len() - offset.min(bytes.len()) >= n_header {
            let rest = &bytes[offset..];
            let header = EntryHeader::decode(format, id, rest);
            let n_bytes = n_header.saturating_add(header.n_bytes);
            let can_be_entry = header.number > damaged
                && header.number - damaged <= n_fitting
                && header.n_synced <= header.number
                && n_bytes <= rest.len();
            let is_entry = can_be_entry && {
                let checksums = checksums.get_or_insert_with(|| PartChecksums::new(bytes));
                let after = checksums.after(segment, offset + 4..offset + n_bytes);
                after == format::u32_at(rest, 0)
            };
            if is_entry && header.n_synced > damaged {
                return Ok(Some(header.batch));
            }
            offset += if is_entry { n_bytes } else { 1 };
        }
        Ok(None)
    }
}
