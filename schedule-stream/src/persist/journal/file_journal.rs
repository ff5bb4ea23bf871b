//! The journal in files.

use core::ops::ControlFlow;
use std::io;
use std::sync::Arc;

use super::directory::Directory;
use super::disk::{Disk, DiskFile};
use super::error::{Damage, JournalError};
use super::format::{self, FileKind, SegmentId};
use super::mark::{FileMark, MarkStore};
use super::open_directory::OpenDirectory;
use super::reader::{NextRecord, SegmentReader};
use super::{
    EntryKind, Journal, JournalHead, JournalRecord, MAX_SEGMENT_BYTES, StoredRecord, n_batches,
};

/// A journal in files of a directory, the segments. [`open`](super::open) opens it.
#[derive(Debug)]
pub struct FileJournal<D: Disk = Directory> {
    directory: Arc<OpenDirectory<D>>,
    /// The segments in the order of creation. All but the last one are synced.
    segments: Vec<SegmentEntry>,
    /// The last segment, if this program created it. Segments of earlier programs are not appended to.
    active: Option<ActiveSegment<D::File>>,
    /// The number of the next batch.
    next: u64,
    /// The highest generation so far.
    generation: u64,
    max_segment_bytes: u64,
    /// The kinds of entries that segments have or had, except batches.
    notes: Vec<EntryKind>,
    /// The bytes of the group that is written. Kept, so that its memory is reused.
    group: Vec<u8>,
}

/// A segment that is stored.
#[derive(Debug)]
pub(super) struct SegmentEntry {
    pub(super) id: SegmentId,
    pub(super) head: JournalHead,
    /// Number of entries.
    pub(super) n_entries: u64,
    /// The last batch that an entry [concerns](JournalRecord::last_concerned). Without entries, the batch before the segment.
    pub(super) last: u64,
    /// Size in bytes of the head and the whole entries.
    pub(super) n_bytes: u64,
}

/// The segment that is appended to.
#[derive(Debug)]
struct ActiveSegment<F> {
    file: F,
    name: String,
    /// Size in bytes of the part that is durable.
    n_synced: u64,
    /// Number of entries that are durable.
    n_synced_entries: u64,
}

impl<D: Disk> FileJournal<D> {
    /// `segments`: in the order of creation, all synced. `notes`: the kinds of their entries, except batches, each once. `next`: the number of the next batch. `generation`: the highest one so far.
    pub(super) fn new(
        directory: Arc<OpenDirectory<D>>,
        segments: Vec<SegmentEntry>,
        notes: Vec<EntryKind>,
        next: u64,
        generation: u64,
    ) -> Self {
        Self {
            directory,
            segments,
            active: None,
            next,
            generation,
            max_segment_bytes: MAX_SEGMENT_BYTES,
            notes,
            group: Vec::new(),
        }
    }

    /// Sets the size in bytes above which the next group is written to a new segment. The default is [`MAX_SEGMENT_BYTES`].
    ///
    /// A group that is larger is still in one segment.
    pub fn set_max_segment_bytes(&mut self, n_bytes: u64) {
        self.max_segment_bytes = n_bytes;
    }

    /// Syncs, creates a segment for the next batch, and makes it the active one.
    fn begin_segment(&mut self, head: JournalHead, generation: u64) -> Result<(), JournalError> {
        let id = SegmentId {
            first: self.next,
            generation,
        };
        let bytes =
            format::encode_segment_head(id, &head).map_err(|n_bytes| JournalError::TooLong {
                batch: id.first,
                n_bytes,
            })?;
        // If a segment is followed by another one, its records are durable.
        self.sync()?;
        let name = id.file_name();
        let created = self.create_segment(&name, id.first, &bytes);
        let file = self.directory.close_on_error(created)?;
        self.generation = generation;
        self.active = Some(ActiveSegment {
            file,
            name,
            n_synced: bytes.len() as u64,
            n_synced_entries: 0,
        });
        self.segments.push(SegmentEntry {
            id,
            head,
            n_entries: 0,
            last: id.first.saturating_sub(1),
            n_bytes: bytes.len() as u64,
        });
        Ok(())
    }

    /// Creates a file with these bytes. After a crash, the file has all of them, or it does not exist.
    fn create_segment(
        &self,
        name: &str,
        batch: u64,
        bytes: &[u8],
    ) -> Result<D::File, JournalError> {
        let directory = &*self.directory;
        let temporary = format::temporary_name(name);
        let created = directory.disk.create(&temporary);
        let mut file = created.map_err(|error| directory.io("create", &temporary, error))?;
        directory.append(&mut file, &temporary, 0, batch, bytes)?;
        let synced = file.sync_data();
        synced.map_err(|error| directory.io("sync", &temporary, error))?;
        let renamed = directory.disk.rename(&temporary, name);
        renamed.map_err(|error| directory.io("rename", &temporary, error))?;
        directory.sync_names()?;
        Ok(file)
    }

    /// Removes a segment that is not the last one.
    ///
    /// The removals are synced one by one. Otherwise a crash could leave an old segment and remove a newer one.
    fn remove_segment(&mut self, idx: usize) -> Result<(), JournalError> {
        let removed = self.directory.remove(&self.segments[idx].id.file_name());
        self.directory.close_on_error(removed)?;
        self.directory.sync_names()?;
        self.segments.remove(idx);
        Ok(())
    }

    /// The size of the active segment in bytes, and the number of its entries.
    fn active_size(&self) -> (u64, u64) {
        let last = self.segments.last();
        last.map_or((0, 0), |segment| (segment.n_bytes, segment.n_entries))
    }
}

impl<D: Disk> Journal for FileJournal<D> {
    fn start(&mut self, head: &JournalHead) -> Result<u64, JournalError> {
        self.directory.check_open()?;
        let generation = super::next_generation(self.generation)?;
        self.begin_segment(head.clone(), generation)?;
        // A program that fails again and again before its first batch does not leave a file each time.
        if let [.., before, _] = &self.segments[..]
            && before.n_entries == 0
        {
            self.remove_segment(self.segments.len() - 2)?;
        }
        Ok(generation)
    }

    fn append(&mut self, records: &[JournalRecord]) -> Result<(), JournalError> {
        self.directory.check_open()?;
        if self.active.is_none() {
            return Err(JournalError::NotStarted);
        }
        super::check_records(self.next, records)?;
        let Some(first) = records.first() else {
            return Ok(());
        };
        let last = &self.segments[self.segments.len() - 1];
        if last.n_bytes >= self.max_segment_bytes && last.id.first < self.next {
            let head = last.head.clone();
            self.begin_segment(head, self.generation)?;
        }

        let id = self.segments[self.segments.len() - 1].id;
        let (offset, n_before) = self.active_size();
        let active = self.active.as_mut().expect("the journal was started");
        let n_synced = active.n_synced_entries;
        self.group.clear();
        for (number, record) in (n_before..).zip(records) {
            format::encode_entry(id, record, (number, n_synced), &mut self.group);
        }
        let appended = self.directory.append(
            &mut active.file,
            &active.name,
            offset,
            first.batch,
            &self.group,
        );
        self.directory.close_on_error(appended)?;
        self.next += n_batches(records);
        for kind in records.iter().map(|record| record.kind) {
            if kind != EntryKind::BATCH && !self.notes.contains(&kind) {
                self.notes.push(kind);
            }
        }
        if let Some(last) = self.segments.last_mut() {
            last.n_entries += records.len() as u64;
            let concerned = records.iter().map(JournalRecord::last_concerned);
            last.last = concerned.fold(last.last, u64::max);
            last.n_bytes += self.group.len() as u64;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), JournalError> {
        self.directory.check_open()?;
        let synced = self.directory.synced();
        let (n_bytes, n_entries) = self.active_size();
        let is_behind = |active: &&mut ActiveSegment<D::File>| active.n_synced < n_bytes;
        let Some(active) = self.active.as_mut().filter(is_behind) else {
            return Ok(());
        };
        let offset = active.n_synced;
        let result = active.file.sync_data().map_err(|error| {
            let path = self.directory.disk.path(&active.name);
            JournalError::io_at("sync", path, offset, synced + 1, error)
        });
        self.directory.close_on_error(result)?;
        self.directory.set_synced(self.next.saturating_sub(1));
        (active.n_synced, active.n_synced_entries) = (n_bytes, n_entries);
        Ok(())
    }

    fn truncate(&mut self, before: u64) -> Result<(), JournalError> {
        self.directory.check_open()?;
        while let [first, _, ..] = &self.segments[..]
            && first.last < before
        {
            self.remove_segment(0)?;
        }
        Ok(())
    }

    fn read(
        &mut self,
        from: u64,
        visit: &mut dyn FnMut(StoredRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), JournalError> {
        for (idx, segment) in self.segments.iter().enumerate() {
            let after = self
                .segments
                .get(idx + 1)
                .map_or(self.next, |segment| segment.id.first);
            // Entries that are not batches may come after the last batch.
            if after < from {
                continue;
            }
            let (mut reader, of) = SegmentReader::open(&self.directory.disk, segment.id)?;
            for _ in 0..segment.n_entries {
                let NextRecord::Record(record) = reader.next()? else {
                    return Err(reader.window.damaged(Damage::Record));
                };
                let stored = StoredRecord {
                    record: &record,
                    head: &of.head,
                    generation: segment.id.generation,
                    rules: of.rules,
                };
                let is_visited = record.batch >= from && record.kind.is_known();
                if is_visited && visit(stored).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Only a reader's files can be removed or overtaken by another program.
    fn check_unchanged(&mut self) -> Result<(), JournalError> {
        if !self.is_read_only() {
            return Ok(());
        }
        let (directory, newest) = (&self.directory, self.directory.synced());
        let names = directory.disk.list();
        let names = names.map_err(|error| directory.io("list", "", error))?;
        let is_newer = |name: &String| match FileKind::of(name) {
            Some(FileKind::Snapshot(batch)) => batch > newest,
            _ => false,
        };
        let is_gone = |segment: &SegmentEntry| !names.contains(&segment.id.file_name());
        if names.iter().any(is_newer) || self.segments.iter().any(is_gone) {
            let fault = "another program has changed the directory meanwhile: open it again";
            return Err(directory.io("read", "", io::Error::other(fault)));
        }
        Ok(())
    }

    fn open_mark(&mut self) -> Result<Option<Box<dyn MarkStore>>, JournalError> {
        if self.is_read_only() {
            return Ok(None);
        }
        self.directory.check_open()?;
        let mark = FileMark::open(&self.directory)?;
        Ok(mark.map(|mark| Box::new(mark) as Box<dyn MarkStore>))
    }

    fn is_read_only(&self) -> bool {
        self.directory.is_read_only()
    }

    fn may_contain(&self, kind: EntryKind) -> bool {
        kind == EntryKind::BATCH || self.notes.contains(&kind)
    }

    fn first_batch(&self) -> Option<u64> {
        let first = self.segments.first()?.id.first;
        (first < self.next).then_some(first)
    }

    fn last_batch(&self) -> Option<u64> {
        self.first_batch().map(|_| self.next - 1)
    }

    fn next_batch(&self) -> u64 {
        self.next
    }

    fn head(&self) -> Option<&JournalHead> {
        self.segments.last().map(|segment| &segment.head)
    }
}
