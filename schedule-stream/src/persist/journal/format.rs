//! The bytes of segments and snapshots, and the names of their files. `docs/journal-format.md` describes them.

use crc32fast::Hasher;
use serde::Deserialize;

use super::{EntryKind, JournalHead, JournalRecord, RULES};

/// The version of segments that this crate writes. It also reads the first one.
pub(super) const SEGMENT_VERSION: u32 = 2;
/// The version of snapshots that this crate reads and writes.
pub(super) const SNAPSHOT_VERSION: u32 = 1;
pub(super) const SEGMENT_MAGIC: [u8; 8] = *b"SCHEDJNL";
pub(super) const SNAPSHOT_MAGIC: [u8; 8] = *b"SCHEDSNP";
/// Size in bytes of the beginning that is the same in all versions: the magic bytes, the version, and their checksum.
pub(super) const PREAMBLE_BYTES: usize = 16;
/// Size in bytes of the header of an entry in the format that this crate writes.
pub(super) const ENTRY_HEADER_BYTES: usize = 44;
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

/// The layout of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SegmentFormat {
    /// Format 1: each record is a batch.
    First,
    /// Format 2: entries of several kinds.
    Second,
}

impl SegmentFormat {
    /// Returns `None` for a version that this crate cannot read.
    pub(super) fn of(version: u32) -> Option<Self> {
        match version {
            1 => Some(Self::First),
            SEGMENT_VERSION => Some(Self::Second),
            _ => None,
        }
    }

    pub(super) fn version(self) -> u32 {
        match self {
            Self::First => 1,
            Self::Second => SEGMENT_VERSION,
        }
    }

    /// Size in bytes of the head without the bytes of the [`JournalHead`].
    pub(super) fn head_bytes(self) -> usize {
        match self {
            Self::First => 40,
            Self::Second => 44,
        }
    }

    /// Size in bytes of the header of an entry.
    pub(super) fn header_bytes(self) -> usize {
        match self {
            Self::First => 32,
            Self::Second => ENTRY_HEADER_BYTES,
        }
    }
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes[at..at + 4].try_into();
    u32::from_le_bytes(bytes.expect("the slice has four bytes"))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let bytes = bytes[at..at + 2].try_into();
    u16::from_le_bytes(bytes.expect("the slice has two bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes[at..at + 8].try_into();
    u64::from_le_bytes(bytes.expect("the slice has eight bytes"))
}

pub(super) fn preamble(magic: [u8; 8], version: u32) -> [u8; PREAMBLE_BYTES] {
    let mut bytes = [0; PREAMBLE_BYTES];
    bytes[..8].copy_from_slice(&magic);
    bytes[8..12].copy_from_slice(&version.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..12]);
    bytes[12..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Returns the format version of a file, or `None` if the beginning of the file is not whole.
pub(super) fn version_of(bytes: &[u8], magic: [u8; 8]) -> Option<u32> {
    let bytes = bytes.get(..PREAMBLE_BYTES)?;
    let is_intact = bytes[..8] == magic && u32_at(bytes, 12) == crc32fast::hash(&bytes[..12]);
    is_intact.then(|| u32_at(bytes, 8))
}

/// The head of a segment.
#[derive(Clone, Debug)]
pub(super) struct SegmentHead {
    pub(super) id: SegmentId,
    pub(super) format: SegmentFormat,
    /// See [`RULES`].
    pub(super) rules: u32,
    pub(super) head: JournalHead,
}

/// Returns the bytes of the head of a segment that this crate writes. If the head is too long, its size in bytes is the error.
pub(super) fn encode_segment_head(id: SegmentId, head: &JournalHead) -> Result<Vec<u8>, u64> {
    let head = postcard::to_allocvec(head).expect("strings and numbers can be serialized");
    let n_bytes = u32::try_from(head.len()).map_err(|_| head.len() as u64)?;
    let mut bytes = preamble(SEGMENT_MAGIC, SEGMENT_VERSION).to_vec();
    bytes.extend([0; 4]);
    bytes.extend(n_bytes.to_le_bytes());
    bytes.extend(id.generation.to_le_bytes());
    bytes.extend(id.first.to_le_bytes());
    bytes.extend(RULES.to_le_bytes());
    bytes.extend(head);
    let checksum = crc32fast::hash(&bytes[20..]);
    bytes[16..20].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// Returns the segment head of whole bytes in this format.
pub(super) fn decode_segment_head(format: SegmentFormat, bytes: &[u8]) -> Option<SegmentHead> {
    let n_fixed = format.head_bytes();
    if bytes.len() < n_fixed || u32_at(bytes, 16) != crc32fast::hash(&bytes[20..]) {
        return None;
    }
    let head = decode_head(format == SegmentFormat::First, &bytes[n_fixed..])?;
    Some(SegmentHead {
        id: SegmentId {
            first: u64_at(bytes, 32),
            generation: u64_at(bytes, 24),
        },
        format,
        rules: match format {
            SegmentFormat::First => 1,
            SegmentFormat::Second => u32_at(bytes, 40),
        },
        head,
    })
}

/// A head of format 1.
#[derive(Deserialize)]
struct FirstHead {
    program: String,
    version: u32,
    types: Vec<(String, u32)>,
    constants: u64,
}

/// Returns the head of whole bytes. `is_first`: whether they have format 1.
pub(crate) fn decode_head(is_first: bool, bytes: &[u8]) -> Option<JournalHead> {
    if !is_first {
        let (head, rest) = postcard::take_from_bytes(bytes).ok()?;
        return rest.is_empty().then_some(head);
    }
    let (head, rest) = postcard::take_from_bytes(bytes).ok()?;
    let FirstHead {
        program,
        version,
        types,
        constants,
    } = head;
    rest.is_empty().then_some(JournalHead {
        program,
        version,
        types,
        constants,
        events: None,
    })
}

/// The header of an entry, without its checksum.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryHeader {
    /// Size of the body in bytes.
    pub(super) n_bytes: usize,
    /// Number of entries before this one in the segment.
    pub(super) number: u64,
    /// Number of entries of the segment that were durable when the group of this one was written.
    pub(super) n_synced: u64,
    /// The batch, or the one that comes after an entry of another kind.
    pub(super) batch: u64,
    pub(super) time: u64,
    pub(super) kind: EntryKind,
}

impl EntryHeader {
    /// `bytes`: at least [`SegmentFormat::header_bytes`].
    pub(super) fn decode(format: SegmentFormat, id: SegmentId, bytes: &[u8]) -> Self {
        let n_bytes = u32_at(bytes, 4) as usize;
        match format {
            SegmentFormat::First => {
                // The batches of a segment are consecutive, so they number the entries.
                let (batch, synced) = (u64_at(bytes, 8), u64_at(bytes, 16));
                Self {
                    n_bytes,
                    number: batch.wrapping_sub(id.first),
                    n_synced: synced.saturating_add(1).saturating_sub(id.first),
                    batch,
                    time: u64_at(bytes, 24),
                    kind: EntryKind::BATCH,
                }
            }
            SegmentFormat::Second => Self {
                n_bytes,
                number: u64_at(bytes, 8),
                n_synced: u64_at(bytes, 16),
                batch: u64_at(bytes, 24),
                time: u64_at(bytes, 32),
                kind: EntryKind::from_stored(u16_at(bytes, 40), u16_at(bytes, 42)),
            },
        }
    }
}

/// The checksum with which those of the entries of a segment begin. So an entry that was copied from another segment is not whole.
pub(super) fn segment_checksum(id: SegmentId) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&id.generation.to_le_bytes());
    hasher.update(&id.first.to_le_bytes());
    hasher.finalize()
}

/// The checksum of an entry. `bytes`: the entry after its checksum.
fn entry_checksum(id: SegmentId, bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new_with_initial(segment_checksum(id));
    hasher.update(bytes);
    hasher.finalize()
}

/// Whether the checksum of an entry agrees. `bytes`: exactly the entry.
pub(super) fn is_whole_entry(id: SegmentId, bytes: &[u8]) -> bool {
    u32_at(bytes, 0) == entry_checksum(id, &bytes[4..])
}

/// Appends an entry to a buffer.
///
/// `number` and `n_synced`: see [`EntryHeader`]. The body has at most `u32::MAX` bytes.
pub(super) fn encode_entry(
    id: SegmentId,
    record: &JournalRecord,
    (number, n_synced): (u64, u64),
    buffer: &mut Vec<u8>,
) {
    let n_bytes = u32::try_from(record.body.len()).expect("the length of the body was checked");
    let (kind, flags) = record.kind.to_stored();
    let start = buffer.len();
    buffer.extend([0; 4]);
    buffer.extend(n_bytes.to_le_bytes());
    for number in [number, n_synced, record.batch, record.time] {
        buffer.extend(number.to_le_bytes());
    }
    buffer.extend(kind.to_le_bytes());
    buffer.extend(flags.to_le_bytes());
    buffer.extend(&record.body);
    let checksum = entry_checksum(id, &buffer[start + 4..]);
    buffer[start..start + 4].copy_from_slice(&checksum.to_le_bytes());
}

/// Returns the beginning of a snapshot, before its body.
pub(super) fn encode_snapshot_header(batch: u64, body: &[u8]) -> [u8; SNAPSHOT_HEADER_BYTES] {
    let mut bytes = [0; SNAPSHOT_HEADER_BYTES];
    bytes[..16].copy_from_slice(&preamble(SNAPSHOT_MAGIC, SNAPSHOT_VERSION));
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
    fn entry_of_another_segment_is_not_whole() {
        let id = |first, generation| SegmentId { first, generation };
        let record = JournalRecord {
            batch: 5,
            kind: EntryKind::optional(700),
            time: 6,
            body: vec![1, 2, 3],
        };
        let mut bytes = Vec::new();
        encode_entry(id(4, 1), &record, (3, 2), &mut bytes);
        assert!(is_whole_entry(id(4, 1), &bytes));
        assert!(!is_whole_entry(id(4, 2), &bytes));
        assert!(!is_whole_entry(id(5, 1), &bytes));
        let header = EntryHeader::decode(SegmentFormat::Second, id(4, 1), &bytes);
        assert_eq!((header.n_bytes, header.number, header.n_synced), (3, 3, 2));
        assert_eq!(
            (header.batch, header.time, header.kind),
            (5, 6, record.kind)
        );
    }

    #[test]
    fn records_of_the_first_format_are_numbered_by_their_batches() {
        let id = SegmentId {
            first: 4,
            generation: 1,
        };
        let header = |batch: u64, synced: u64| {
            let mut bytes = vec![0; 8];
            bytes.extend([batch, synced, 9].into_iter().flat_map(u64::to_le_bytes));
            let header = EntryHeader::decode(SegmentFormat::First, id, &bytes);
            assert_eq!((header.batch, header.kind), (batch, EntryKind::BATCH));
            (header.number, header.n_synced)
        };
        // Batch 3 is the last one of the segment before.
        assert_eq!(header(4, 3), (0, 0));
        assert_eq!(header(6, 0), (2, 0));
        assert_eq!(header(6, 5), (2, 2));
    }
}
