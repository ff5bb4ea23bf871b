//! Reading of segments, one record after another.

use std::path::PathBuf;

use super::disk::{Disk, DiskFile};
use super::error::{Damage, JournalError};
use super::format::{
    self, FORMAT_VERSION, PREAMBLE_BYTES, RECORD_HEADER_BYTES, RecordHeader, SEGMENT_HEAD_BYTES,
    SEGMENT_MAGIC, SegmentId,
};
use super::{JournalHead, JournalRecord};

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

    /// Fails if the beginning of the file is not whole or has another version.
    pub(super) fn check_preamble(
        &mut self,
        magic: [u8; 8],
        damage: Damage,
    ) -> Result<(), JournalError> {
        let bytes = self.peek(PREAMBLE_BYTES)?;
        match bytes.and_then(|bytes| format::version_of(bytes, magic)) {
            Some(FORMAT_VERSION) => Ok(()),
            Some(found) => Err(JournalError::FormatVersion {
                file: self.path.clone(),
                found,
                supported: FORMAT_VERSION,
            }),
            None => Err(self.damaged(damage)),
        }
    }
}

/// The result of reading the next record of a segment.
#[derive(Debug)]
pub(super) enum NextRecord {
    Record(JournalRecord),
    /// All bytes are read.
    End,
    /// The bytes are not a whole record.
    NotWhole,
    /// The record is whole, but it has this number and not the next one.
    OtherNumber(u64),
}

/// A segment that is read from its beginning.
#[derive(Debug)]
pub(super) struct SegmentReader<F> {
    id: SegmentId,
    /// `window.batch` is the number of the next record. `window.offset` is its position.
    pub(super) window: FileWindow<F>,
}

impl<F: DiskFile> SegmentReader<F> {
    /// Opens a segment, and reads its head.
    pub(super) fn open<D: Disk<File = F>>(
        disk: &D,
        id: SegmentId,
    ) -> Result<(Self, JournalHead), JournalError> {
        let mut window = FileWindow::open(disk, &id.file_name(), id.first)?;
        window.check_preamble(SEGMENT_MAGIC, Damage::SegmentHead)?;
        let n_bytes = window
            .peek(SEGMENT_HEAD_BYTES)?
            .map(|bytes| SEGMENT_HEAD_BYTES as u64 + u64::from(format::u32_at(bytes, 20)));
        let n_bytes = n_bytes.filter(|n_bytes| *n_bytes <= window.n_bytes);
        let n_bytes = n_bytes.and_then(|n_bytes| usize::try_from(n_bytes).ok());
        let Some(n_bytes) = n_bytes else {
            return Err(window.damaged(Damage::SegmentHead));
        };
        let decoded = window.peek(n_bytes)?.and_then(format::decode_segment_head);
        let Some((found, head)) = decoded else {
            return Err(window.damaged(Damage::SegmentHead));
        };
        if found != id {
            return Err(window.damaged(Damage::SegmentName));
        }
        window.advance(n_bytes);
        Ok((Self { id, window }, head))
    }

    /// The number of the next record.
    pub(super) fn next_batch(&self) -> u64 {
        self.window.batch
    }

    /// Reads the next record. After a result other than a record, the position is unchanged.
    pub(super) fn next(&mut self) -> Result<NextRecord, JournalError> {
        let window = &mut self.window;
        if window.n_left() == 0 {
            return Ok(NextRecord::End);
        }
        let Some(header) = window.peek(RECORD_HEADER_BYTES)?.map(RecordHeader::decode) else {
            return Ok(NextRecord::NotWhole);
        };
        let n_bytes = RECORD_HEADER_BYTES.saturating_add(header.n_bytes);
        let Some(bytes) = window.peek(n_bytes)? else {
            return Ok(NextRecord::NotWhole);
        };
        if !format::is_whole_record(self.id, bytes) {
            return Ok(NextRecord::NotWhole);
        }
        let record = JournalRecord {
            batch: header.batch,
            time: header.time,
            body: bytes[RECORD_HEADER_BYTES..].to_vec(),
        };
        if record.batch != window.batch {
            return Ok(NextRecord::OtherNumber(record.batch));
        }
        window.advance(n_bytes);
        window.batch = window.batch.saturating_add(1);
        Ok(NextRecord::Record(record))
    }

    /// Searches the bytes after a record that is not whole for a record that was written after its sync, and returns its batch.
    ///
    /// A record can be at any offset, because the damaged one may have a wrong length. Takes O(n) for n bytes that are left, unless
    /// the bytes imitate headers.
    pub(super) fn find_later_group(&mut self) -> Result<Option<u64>, JournalError> {
        let n_left = usize::try_from(self.window.n_left()).unwrap_or(usize::MAX);
        let damaged = self.window.batch;
        let id = self.id;
        let Some(bytes) = self.window.peek(n_left)? else {
            return Ok(None);
        };
        // The number of records that fit.
        let n_records = (bytes.len() / RECORD_HEADER_BYTES) as u64;
        let mut offset = 1;
        while bytes.len() - offset.min(bytes.len()) >= RECORD_HEADER_BYTES {
            let rest = &bytes[offset..];
            let header = RecordHeader::decode(rest);
            let n_bytes = RECORD_HEADER_BYTES.saturating_add(header.n_bytes);
            let is_record = header.batch > damaged
                && header.batch - damaged <= n_records
                && header.synced < header.batch
                && n_bytes <= rest.len()
                && format::is_whole_record(id, &rest[..n_bytes]);
            if is_record && header.synced >= damaged {
                return Ok(Some(header.batch));
            }
            offset += if is_record { n_bytes } else { 1 };
        }
        Ok(None)
    }
}
