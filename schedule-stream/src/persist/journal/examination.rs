//! Examination of all files of a journal directory, without changes. Opening and inspection share it.

use super::dead_letter::DeadLetterEntry;
use super::disk::Disk;
use super::error::{Damage, JournalError};
use super::file_snapshots;
use super::format::{FileKind, SegmentHead, SegmentId};
use super::kind::EntryKind;
use super::reader::{NextRecord, SegmentReader};

/// A segment as it is on the disk.
#[derive(Debug)]
pub(super) struct ExaminedSegment {
    pub(super) id: SegmentId,
    /// `None` if the head cannot be read.
    pub(super) head: Option<SegmentHead>,
    /// The batch after the last whole entry.
    pub(super) next: u64,
    /// Number of whole entries.
    pub(super) n_entries: u64,
    /// The last batch that a whole entry [concerns](super::JournalRecord::last_concerned). Without entries, the batch before the segment.
    pub(super) last: u64,
    /// The kinds of the whole entries that are not batches, each with their number.
    pub(super) notes: Vec<(EntryKind, u64)>,
    /// Its dead letters.
    pub(super) dead_letters: Vec<DeadLetterEntry>,
    /// Size in bytes of the head and the whole entries.
    pub(super) n_whole: u64,
    /// Size of the file in bytes. More than `n_whole` if the end is torn or damaged.
    pub(super) n_bytes: u64,
    pub(super) error: Option<JournalError>,
}

/// A snapshot as it is on the disk.
#[derive(Debug)]
pub(super) struct ExaminedSnapshot {
    pub(super) batch: u64,
    /// Size of the state in bytes, or the reason why it cannot be read.
    pub(super) result: Result<u64, JournalError>,
}

/// The files of a journal directory.
#[derive(Debug)]
pub(super) struct Examination {
    /// The segments in the order of creation. If the last one has no error, but more bytes than whole records, its end is torn.
    pub(super) segments: Vec<ExaminedSegment>,
    /// The snapshots, the newest first.
    pub(super) snapshots: Vec<ExaminedSnapshot>,
    /// The names of files that were not complete when a program ended.
    pub(super) unfinished: Vec<String>,
    /// The highest generation. 0 if there is none.
    pub(super) generation: u64,
}

/// Reads all segments, and either all snapshots or those up to the newest whole one.
pub(super) fn examine<D: Disk>(
    disk: &D,
    with_all_snapshots: bool,
) -> Result<Examination, JournalError> {
    let names = disk
        .list()
        .map_err(|error| JournalError::io("list", disk.path(""), error))?;
    let mut segments = Vec::new();
    let mut snapshots = Vec::new();
    let mut unfinished = Vec::new();
    let mut generation = 0;
    for name in names {
        match FileKind::of(&name) {
            Some(FileKind::Segment(id)) => {
                generation = generation.max(id.generation);
                segments.push(id);
            }
            Some(FileKind::Snapshot(batch)) => snapshots.push(batch),
            Some(FileKind::UnfinishedSegment(id)) => {
                generation = generation.max(id.generation);
                unfinished.push(name);
            }
            Some(FileKind::UnfinishedSnapshot) => unfinished.push(name),
            None => {}
        }
    }
    segments.sort_unstable();
    snapshots.sort_unstable_by(|a, b| b.cmp(a));
    unfinished.sort_unstable();
    let mut segments = examine_segments(disk, &segments);
    let snapshots = examine_snapshots(disk, &snapshots, with_all_snapshots);
    if let Some(last) = segments.last_mut() {
        let newest = snapshots
            .iter()
            .find(|snapshot| snapshot.result.is_ok())
            .map(|snapshot| snapshot.batch);
        if let Some(snapshot) = newest.filter(|newest| *newest >= last.next && last.error.is_none())
        {
            last.error = Some(JournalError::Damaged {
                file: disk.path(&last.id.file_name()),
                offset: last.n_whole,
                batch: last.next,
                damage: Damage::RecordBeforeSnapshot { snapshot },
            });
        }
    }
    Ok(Examination {
        segments,
        snapshots,
        unfinished,
        generation,
    })
}

/// `ids`: in the order of creation.
fn examine_segments<D: Disk>(disk: &D, ids: &[SegmentId]) -> Vec<ExaminedSegment> {
    let mut examined: Vec<ExaminedSegment> = Vec::new();
    for (idx, &id) in ids.iter().enumerate() {
        let mut segment = examine_segment(disk, id, ids.get(idx + 1).copied());
        if let Some(before) = examined.last()
            && before.error.is_none()
            && before.next != id.first
        {
            segment.error = Some(JournalError::Gap {
                file: disk.path(&id.file_name()),
                expected: before.next,
                found: id.first,
            });
        }
        examined.push(segment);
    }
    examined
}

/// `later`: the segment that was created after this one, if there is one.
fn examine_segment<D: Disk>(disk: &D, id: SegmentId, later: Option<SegmentId>) -> ExaminedSegment {
    let mut segment = ExaminedSegment {
        id,
        head: None,
        next: id.first,
        n_entries: 0,
        last: id.first.saturating_sub(1),
        notes: Vec::new(),
        dead_letters: Vec::new(),
        n_whole: 0,
        n_bytes: 0,
        error: None,
    };
    let mut reader = match SegmentReader::open(disk, id) {
        Ok((reader, head)) => {
            segment.head = Some(head);
            reader
        }
        Err(error) => {
            segment.error = Some(error);
            return segment;
        }
    };
    segment.error = read_to_end(disk, &mut reader, later, &mut segment).err();
    segment.next = reader.next_batch();
    segment.n_entries = reader.n_entries();
    segment.n_whole = reader.window.offset;
    segment.n_bytes = reader.window.n_bytes;
    segment
}

/// Reads all whole entries, and notes the last one and those that are not batches. Fails if the bytes after them were synced.
fn read_to_end<D: Disk>(
    disk: &D,
    reader: &mut SegmentReader<D::File>,
    later: Option<SegmentId>,
    segment: &mut ExaminedSegment,
) -> Result<(), JournalError> {
    let damage = loop {
        match reader.next()? {
            NextRecord::Record(record) => {
                segment.last = segment.last.max(record.last_concerned());
                segment
                    .dead_letters
                    .extend(DeadLetterEntry::of_record(&record));
                let mut notes = segment.notes.iter_mut();
                match notes.find(|of| of.0 == record.kind) {
                    Some((_, n)) => *n += 1,
                    None if record.kind == EntryKind::BATCH => {}
                    None => segment.notes.push((record.kind, 1)),
                }
            }
            NextRecord::End => return Ok(()),
            // No write creates such a record, and no part of a write.
            NextRecord::OtherNumber(found) => break Damage::RecordNumber { found },
            // A segment is synced before the next one is created.
            NextRecord::NotWhole => match later {
                Some(later) => {
                    let later = disk.path(&later.file_name());
                    break Damage::RecordBeforeSegment { later };
                }
                // A group is written after the sync of the group before it.
                None => match reader.find_later_group()? {
                    Some(later) => break Damage::RecordBeforeRecord { later },
                    None => return Ok(()),
                },
            },
        }
    };
    Err(reader.window.damaged(damage))
}

/// `batches`: the newest first.
fn examine_snapshots<D: Disk>(disk: &D, batches: &[u64], with_all: bool) -> Vec<ExaminedSnapshot> {
    let mut examined = Vec::new();
    for &batch in batches {
        let result = file_snapshots::check(disk, batch);
        let is_intact = result.is_ok();
        examined.push(ExaminedSnapshot { batch, result });
        if is_intact && !with_all {
            break;
        }
    }
    examined
}
