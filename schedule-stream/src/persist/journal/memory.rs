//! A journal and snapshots in memory.

use core::ops::ControlFlow;
use std::collections::BTreeMap;

use super::format::ENTRY_HEADER_BYTES;
use super::{
    Journal, JournalError, JournalHead, JournalRecord, MAX_SEGMENT_BYTES, MarkStore, MemoryMark,
    RULES, Snapshots, StoredRecord, n_batches,
};

/// A journal in memory, with the behaviour of a [`FileJournal`](super::FileJournal). A clone has the same records.
///
/// ```
/// use schedule_stream::journal::{EntryKind, Journal, JournalHead, JournalRecord, MemoryJournal};
///
/// let head = JournalHead { program: "exchange".into(), version: 1, types: Vec::new(), constants: 0, events: None };
/// let mut journal = MemoryJournal::new();
/// journal.start(&head)?;
/// journal.append(&[JournalRecord { batch: 1, kind: EntryKind::BATCH, time: 0, body: vec![1, 2, 3] }])?;
/// journal.sync()?;
/// assert_eq!(journal.last_batch(), Some(1));
/// # Ok::<(), schedule_stream::journal::JournalError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MemoryJournal {
    /// In the order of creation.
    segments: Vec<MemorySegment>,
    next: u64,
    max_segment_bytes: u64,
    mark: Option<MemoryMark>,
}

#[derive(Clone, Debug)]
struct MemorySegment {
    head: JournalHead,
    generation: u64,
    first: u64,
    /// The entries, in order.
    records: Vec<JournalRecord>,
    /// Size of the records in bytes.
    n_bytes: u64,
}

impl MemoryJournal {
    /// Returns a journal without records, whose first batch is 1.
    pub fn new() -> Self {
        Self::beginning_with(1)
    }

    /// Returns a journal without records, whose first batch has this number. It continues after a snapshot of the batch before.
    pub fn beginning_with(batch: u64) -> Self {
        Self {
            segments: Vec::new(),
            next: batch,
            max_segment_bytes: MAX_SEGMENT_BYTES,
            mark: None,
        }
    }

    /// Sets the size in bytes above which the next group is in a new segment. The default is [`MAX_SEGMENT_BYTES`].
    pub fn set_max_segment_bytes(&mut self, n_bytes: u64) {
        self.max_segment_bytes = n_bytes;
    }

    /// Sets the storage for the mark of the batch that is applied. The default is none.
    pub fn set_mark(&mut self, mark: MemoryMark) {
        self.mark = Some(mark);
    }

    fn begin_segment(&mut self, head: JournalHead, generation: u64) {
        self.segments.push(MemorySegment {
            head,
            generation,
            first: self.next,
            records: Vec::new(),
            n_bytes: 0,
        });
    }
}

impl Default for MemoryJournal {
    fn default() -> Self {
        Self::new()
    }
}

impl Journal for MemoryJournal {
    fn start(&mut self, head: &JournalHead) -> Result<u64, JournalError> {
        let last = self.segments.last();
        let generation = super::next_generation(last.map_or(0, |segment| segment.generation))?;
        self.segments.pop_if(|segment| segment.records.is_empty());
        self.begin_segment(head.clone(), generation);
        Ok(generation)
    }

    fn append(&mut self, records: &[JournalRecord]) -> Result<(), JournalError> {
        let Some(last) = self.segments.last() else {
            return Err(JournalError::NotStarted);
        };
        super::check_records(self.next, records)?;
        if last.n_bytes >= self.max_segment_bytes && last.first < self.next {
            let (head, generation) = (last.head.clone(), last.generation);
            self.begin_segment(head, generation);
        }
        let last = self.segments.last_mut().expect("the journal was started");
        for record in records {
            last.n_bytes += (ENTRY_HEADER_BYTES + record.body.len()) as u64;
        }
        last.records.extend_from_slice(records);
        self.next += n_batches(records);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), JournalError> {
        Ok(())
    }

    fn truncate(&mut self, before: u64) -> Result<(), JournalError> {
        let is_below = |segment: &&MemorySegment| {
            let mut records = segment.records.iter();
            records.all(|record| record.last_concerned() < before) && segment.first <= before
        };
        let older = &self.segments[..self.segments.len().saturating_sub(1)];
        let n_removed = older.iter().take_while(is_below).count();
        self.segments.drain(..n_removed);
        Ok(())
    }

    fn read(
        &mut self,
        from: u64,
        visit: &mut dyn FnMut(StoredRecord<'_>) -> ControlFlow<()>,
    ) -> Result<(), JournalError> {
        for segment in &self.segments {
            let segment_of = (&segment.head, segment.generation, RULES);
            if super::visit_records(segment_of, &segment.records, from, visit).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn open_mark(&mut self) -> Result<Option<Box<dyn MarkStore>>, JournalError> {
        let mark = self.mark.clone();
        Ok(mark.map(|mark| Box::new(mark) as Box<dyn MarkStore>))
    }

    fn first_batch(&self) -> Option<u64> {
        let first = self.segments.first()?.first;
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

/// Snapshots in memory. A clone has the same snapshots.
#[derive(Clone, Debug, Default)]
pub struct MemorySnapshots {
    /// The bytes of each snapshot, by batch.
    snapshots: BTreeMap<u64, Vec<u8>>,
}

impl MemorySnapshots {
    /// Returns a storage without snapshots.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Snapshots for MemorySnapshots {
    fn list(&self) -> Result<Vec<u64>, JournalError> {
        Ok(self.snapshots.keys().rev().copied().collect())
    }

    fn write(&mut self, batch: u64, bytes: &[u8]) -> Result<(), JournalError> {
        self.snapshots.insert(batch, bytes.to_vec());
        Ok(())
    }

    fn read(&self, batch: u64) -> Result<Vec<u8>, JournalError> {
        let bytes = self.snapshots.get(&batch);
        bytes
            .cloned()
            .ok_or(JournalError::MissingSnapshot { batch })
    }

    fn check(&self, batch: u64) -> Result<u64, JournalError> {
        let bytes = self.snapshots.get(&batch);
        bytes
            .map(|bytes| bytes.len() as u64)
            .ok_or(JournalError::MissingSnapshot { batch })
    }

    fn remove_before(&mut self, batch: u64) -> Result<(), JournalError> {
        self.snapshots = self.snapshots.split_off(&batch);
        Ok(())
    }
}
