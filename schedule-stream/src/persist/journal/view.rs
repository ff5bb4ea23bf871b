//! Reading of a directory that may be in use: nothing is locked, repaired or changed.

use core::ops::ControlFlow;
use std::path::Path;

use super::directory::Directory;
use super::disk::Disk;
use super::error::{Damage, JournalError};
use super::file_snapshots;
use super::format::{FileKind, SegmentHead, SegmentId};
use super::reader::{NextRecord, SegmentReader};
use super::{JournalHead, StoredRecord};

/// The journal and the snapshots of a directory, to read them only.
///
/// It shows the files as they are at each call. If another program removes files meanwhile, a call fails.
#[derive(Debug)]
pub struct JournalView<D: Disk = Directory> {
    disk: D,
}

impl JournalView {
    /// Opens a directory, which must exist. It may be in use.
    ///
    /// # Errors
    ///
    /// If it does not exist, or is not a directory.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalError> {
        let path = path.as_ref();
        let disk = Directory::existing(path)
            .map_err(|error| JournalError::io("open", path.to_owned(), error))?;
        Ok(Self { disk })
    }
}

impl<D: Disk> JournalView<D> {
    /// Reads this disk.
    pub fn on(disk: D) -> Self {
        Self { disk }
    }

    /// Returns the batches of the snapshots, the newest first, and the segments in the order of creation.
    fn files(&self) -> Result<(Vec<u64>, Vec<SegmentId>), JournalError> {
        let names = self
            .disk
            .list()
            .map_err(|error| JournalError::io("list", self.disk.path(""), error))?;
        let (mut snapshots, mut segments) = (Vec::new(), Vec::new());
        for name in names {
            match FileKind::of(&name) {
                Some(FileKind::Snapshot(batch)) => snapshots.push(batch),
                Some(FileKind::Segment(id)) => segments.push(id),
                _ => {}
            }
        }
        snapshots.sort_unstable_by(|a, b| b.cmp(a));
        segments.sort_unstable();
        Ok((snapshots, segments))
    }

    /// Returns the batches of the snapshots, the newest first.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read.
    pub fn snapshots(&self) -> Result<Vec<u64>, JournalError> {
        Ok(self.files()?.0)
    }

    /// Returns the snapshot after a batch.
    ///
    /// # Errors
    ///
    /// As [`Snapshots::read`](super::Snapshots::read).
    pub fn snapshot(&self, batch: u64) -> Result<Vec<u8>, JournalError> {
        file_snapshots::read(&self.disk, batch)
    }

    /// Returns the head of the newest segment, or `None` without a segment.
    ///
    /// # Errors
    ///
    /// If the directory or the segment cannot be read.
    pub fn head(&self) -> Result<Option<JournalHead>, JournalError> {
        match self.files()?.1.last() {
            Some(&last) => Ok(Some(SegmentReader::open(&self.disk, last)?.1.head)),
            None => Ok(None),
        }
    }

    /// Visits the stored entries from batch `from` on, in order, until `visit` breaks, or until the end of the whole entries of the last
    /// segment. Entries of an unknown kind are not visited.
    ///
    /// # Errors
    ///
    /// If a segment cannot be read, or if one before the last is damaged.
    pub fn read(
        &self,
        from: u64,
        visit: &mut dyn FnMut(StoredRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), JournalError> {
        let (_, segments) = self.files()?;
        for (idx, &id) in segments.iter().enumerate() {
            let next = segments.get(idx + 1);
            // Entries that are not batches may come after the last batch.
            if next.is_some_and(|next| next.first < from) {
                continue;
            }
            let (mut reader, of) = SegmentReader::open(&self.disk, id)?;
            let SegmentHead { rules, head, .. } = of;
            loop {
                let record = match reader.next()? {
                    NextRecord::Record(record) => record,
                    NextRecord::End => break,
                    // Its group is being written, or was never synced.
                    NextRecord::NotWhole if next.is_none() => break,
                    NextRecord::NotWhole | NextRecord::OtherNumber(_) => {
                        return Err(reader.window.damaged(Damage::Record));
                    }
                };
                let stored = StoredRecord {
                    record: &record,
                    head: &head,
                    generation: id.generation,
                    rules,
                };
                let is_visited = record.batch >= from && record.kind.is_known();
                if is_visited && visit(stored).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
