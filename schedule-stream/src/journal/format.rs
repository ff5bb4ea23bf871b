//! The bytes of segments and snapshots, and the names of their files. `docs/journal-format.md` describes them.

use crc32fast::Hasher;

use super::{JournalHead, JournalRecord};

/// The version of the format that this crate reads and writes.
pub(super) const FORMAT_VERSION: u32 = 1;
pub(super) const SEGMENT_MAGIC: [u8; 8] = *b"SCHEDJNL";
pub(super) const SNAPSHOT_MAGIC: [u8; 8] = *b"SCHEDSNP";
/// Size in bytes of the beginning that is the same in all versions: the magic bytes, the version, and their checksum.
pub(super) const PREAMBLE_BYTES: usize = 16;
/// Size in bytes of the head of a segment without the bytes of the [`JournalHead`].
pub(super) const SEGMENT_HEAD_BYTES: usize = 40;
/// Size in bytes of the header of a record.
pub(super) const RECORD_HEADER_BYTES: usize = 32;
/// Size in bytes of a snapshot without its body.
pub(super) const SNAPSHOT_HEADER_BYTES: usize = 40;

const SEGMENT_PREFIX: &str = "journal-";
const SEGMENT_SUFFIX: &str = ".log";
const SNAPSHOT_PREFIX: &str = "snapshot-";
const SNAPSHOT_SUFFIX: &str = ".snap";
/// Added to the name of a file that is not complete.
const TEMPORARY_SUFFIX: &str = ".tmp";

/// A segment, in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SegmentId {
    /// The first batch. The segment may have no batch, and then a later segment has the same first batch.
    pub(super) first: u64,
    /// The number of the start of the program that created the segment.
    pub(super) generation: u64,
}

impl SegmentId {
    pub(super) fn file_name(self) -> String {
        let Self { first, generation } = self;
        format!("{SEGMENT_PREFIX}{first:020}-{generation:010}{SEGMENT_SUFFIX}")
    }
}

pub(super) fn snapshot_name(batch: u64) -> String {
    format!("{SNAPSHOT_PREFIX}{batch:020}{SNAPSHOT_SUFFIX}")
}

/// The name of a file until it is complete.
pub(super) fn temporary_name(name: &str) -> String {
    format!("{name}{TEMPORARY_SUFFIX}")
}

/// The kind of a file of a journal directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Segment(SegmentId),
    Snapshot(u64),
    /// A segment that was not complete when the program ended.
    UnfinishedSegment(SegmentId),
    /// A snapshot that was not complete when the program ended.
    UnfinishedSnapshot,
}

impl FileKind {
    /// Returns `None` for files that a journal does not create.
    pub(super) fn of(name: &str) -> Option<Self> {
        if let Some(name) = name.strip_suffix(TEMPORARY_SUFFIX) {
            return match Self::of(name)? {
                Self::Segment(id) => Some(Self::UnfinishedSegment(id)),
                Self::Snapshot(_) => Some(Self::UnfinishedSnapshot),
                Self::UnfinishedSegment(_) | Self::UnfinishedSnapshot => None,
            };
        }
        let between = |prefix, suffix| name.strip_prefix(prefix)?.strip_suffix(suffix);
        let (kind, canonical) = if let Some(numbers) = between(SEGMENT_PREFIX, SEGMENT_SUFFIX) {
            let (first, generation) = numbers.split_once('-')?;
            let id = SegmentId {
                first: first.parse().ok()?,
                generation: generation.parse().ok()?,
            };
            (Self::Segment(id), id.file_name())
        } else {
            let batch = between(SNAPSHOT_PREFIX, SNAPSHOT_SUFFIX)?.parse().ok()?;
            (Self::Snapshot(batch), snapshot_name(batch))
        };
        (name == canonical).then_some(kind)
    }
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes[at..at + 4].try_into();
    u32::from_le_bytes(bytes.expect("the slice has four bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes[at..at + 8].try_into();
    u64::from_le_bytes(bytes.expect("the slice has eight bytes"))
}

pub(super) fn preamble(magic: [u8; 8]) -> [u8; PREAMBLE_BYTES] {
    let mut bytes = [0; PREAMBLE_BYTES];
    bytes[..8].copy_from_slice(&magic);
    bytes[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..12]);
    bytes[12..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Returns the format version of a file, or `None` if the beginning of the file is not whole.
pub(super) fn version_of(bytes: &[u8], magic: [u8; 8]) -> Option<u32> {
    let bytes = bytes.get(..PREAMBLE_BYTES)?;
    let is_whole = bytes[..8] == magic && u32_at(bytes, 12) == crc32fast::hash(&bytes[..12]);
    is_whole.then(|| u32_at(bytes, 8))
}

/// Returns the bytes of the head of a segment. If the head is too long, its size in bytes is the error.
pub(super) fn encode_segment_head(id: SegmentId, head: &JournalHead) -> Result<Vec<u8>, u64> {
    let head = postcard::to_allocvec(head).expect("strings and numbers can be serialized");
    let n_bytes = u32::try_from(head.len()).map_err(|_| head.len() as u64)?;
    let mut bytes = preamble(SEGMENT_MAGIC).to_vec();
    bytes.extend([0; 4]);
    bytes.extend(n_bytes.to_le_bytes());
    bytes.extend(id.generation.to_le_bytes());
    bytes.extend(id.first.to_le_bytes());
    bytes.extend(head);
    let checksum = crc32fast::hash(&bytes[20..]);
    bytes[16..20].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// Returns the segment and the head of whole head bytes.
pub(super) fn decode_segment_head(bytes: &[u8]) -> Option<(SegmentId, JournalHead)> {
    if bytes.len() < SEGMENT_HEAD_BYTES || u32_at(bytes, 16) != crc32fast::hash(&bytes[20..]) {
        return None;
    }
    let id = SegmentId {
        first: u64_at(bytes, 32),
        generation: u64_at(bytes, 24),
    };
    let (head, rest) = postcard::take_from_bytes(&bytes[SEGMENT_HEAD_BYTES..]).ok()?;
    rest.is_empty().then_some((id, head))
}

/// The header of a record, without its checksum.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordHeader {
    /// Size of the body in bytes.
    pub(super) n_bytes: usize,
    pub(super) batch: u64,
    /// The newest batch that was durable when the group of this record was written. 0 if there was none.
    pub(super) synced: u64,
    pub(super) time: u64,
}

impl RecordHeader {
    /// `bytes`: at least [`RECORD_HEADER_BYTES`].
    pub(super) fn decode(bytes: &[u8]) -> Self {
        Self {
            n_bytes: u32_at(bytes, 4) as usize,
            batch: u64_at(bytes, 8),
            synced: u64_at(bytes, 16),
            time: u64_at(bytes, 24),
        }
    }
}

/// The checksum of a record. It contains the segment, so a record that was copied from another segment is not whole.
///
/// `bytes`: the record after its checksum.
fn record_checksum(id: SegmentId, bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&id.generation.to_le_bytes());
    hasher.update(&id.first.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

/// Whether the checksum of a record agrees. `bytes`: exactly the record.
pub(super) fn is_whole_record(id: SegmentId, bytes: &[u8]) -> bool {
    u32_at(bytes, 0) == record_checksum(id, &bytes[4..])
}

/// Appends a record to a buffer.
///
/// `synced`: see [`RecordHeader::synced`]. The body has at most `u32::MAX` bytes.
pub(super) fn encode_record(
    id: SegmentId,
    record: &JournalRecord,
    synced: u64,
    buffer: &mut Vec<u8>,
) {
    let n_bytes = u32::try_from(record.body.len()).expect("the length of the body was checked");
    let start = buffer.len();
    buffer.extend([0; 4]);
    buffer.extend(n_bytes.to_le_bytes());
    buffer.extend(record.batch.to_le_bytes());
    buffer.extend(synced.to_le_bytes());
    buffer.extend(record.time.to_le_bytes());
    buffer.extend(&record.body);
    let checksum = record_checksum(id, &buffer[start + 4..]);
    buffer[start..start + 4].copy_from_slice(&checksum.to_le_bytes());
}

/// Returns the beginning of a snapshot, before its body.
pub(super) fn encode_snapshot_header(batch: u64, body: &[u8]) -> [u8; SNAPSHOT_HEADER_BYTES] {
    let mut bytes = [0; SNAPSHOT_HEADER_BYTES];
    bytes[..16].copy_from_slice(&preamble(SNAPSHOT_MAGIC));
    bytes[24..32].copy_from_slice(&batch.to_le_bytes());
    bytes[32..40].copy_from_slice(&(body.len() as u64).to_le_bytes());
    let mut hasher = Hasher::new();
    hasher.update(&bytes[20..]);
    hasher.update(body);
    bytes[16..20].copy_from_slice(&hasher.finalize().to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_recognized_only_as_they_are_written() {
        let id = SegmentId {
            first: 7,
            generation: 3,
        };
        assert_eq!(
            id.file_name(),
            "journal-00000000000000000007-0000000003.log"
        );
        assert_eq!(FileKind::of(&id.file_name()), Some(FileKind::Segment(id)));
        assert_eq!(
            FileKind::of(&temporary_name(&id.file_name())),
            Some(FileKind::UnfinishedSegment(id))
        );
        let snapshot = snapshot_name(u64::MAX);
        assert_eq!(snapshot, "snapshot-18446744073709551615.snap");
        assert_eq!(FileKind::of(&snapshot), Some(FileKind::Snapshot(u64::MAX)));
        assert_eq!(
            FileKind::of(&temporary_name(&snapshot)),
            Some(FileKind::UnfinishedSnapshot)
        );
        for foreign in [
            "lock",
            "journal-7-3.log",
            "journal-00000000000000000007-0000000003.log.bak",
            "journal-00000000000000000007-0000000003.log.tmp.tmp",
            "journal-+0000000000000000007-0000000003.log",
            "journal-00000000000000000007.log",
            "snapshot-99999999999999999999.snap",
            "snapshot-.snap",
            ".tmp",
        ] {
            assert_eq!(FileKind::of(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn segments_are_ordered_by_creation() {
        let id = |first, generation| SegmentId { first, generation };
        assert!(id(1, 1) < id(5, 1) && id(5, 1) < id(5, 2) && id(5, 2) < id(6, 2));
    }

    #[test]
    fn record_of_another_segment_is_not_whole() {
        let id = |first, generation| SegmentId { first, generation };
        let record = JournalRecord {
            batch: 5,
            time: 6,
            body: vec![1, 2, 3],
        };
        let mut bytes = Vec::new();
        encode_record(id(5, 1), &record, 4, &mut bytes);
        assert!(is_whole_record(id(5, 1), &bytes));
        assert!(!is_whole_record(id(5, 2), &bytes));
        assert!(!is_whole_record(id(4, 1), &bytes));
        let header = RecordHeader::decode(&bytes);
        assert_eq!(
            (header.n_bytes, header.batch, header.synced, header.time),
            (3, 5, 4, 6)
        );
    }
}
