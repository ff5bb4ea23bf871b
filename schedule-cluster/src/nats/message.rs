//! The bytes of messages: a head, or a part of a group of entries.
//!
//! A message begins with a header of 40 bytes, all numbers in little-endian order:
//!
//! | byte | content |
//! |---|---|
//! | 0 | CRC-32 of the sequence number of the message and of all bytes after this checksum |
//! | 4 | `SNJ`, then the format version as one byte |
//! | 8 | kind: 0 is a head, 1 a part of a group |
//! | 12 | index of the part |
//! | 16 | number of parts |
//! | 20 | 0 |
//! | 24 | generation |
//! | 32 | the first batch of the group. In a head, the batch that is appended next |
//!
//! The body of a head is the number of the rules (4 bytes) and a [`JournalHead`]. The joined bodies of the parts of a group are its
//! entries, each with batch, time, number of bytes (4 bytes), number of its kind, flags (2 bytes each) and body. Bit 0 of the flags:
//! a reader that does not know the kind may skip the entry.
//!
//! This is version 2 of the format. In version 1, a head has no rules, which are 1. An entry has no kind and no flags, and is a batch.

use std::ops::Range;

use crc32fast::Hasher;
use schedule_stream::internal;
use schedule_stream::journal::{EntryKind, JournalHead, JournalRecord, RULES};

pub(super) const HEADER_BYTES: usize = 40;
/// Size of the header of an entry.
const ENTRY_HEADER_BYTES: usize = 24;
/// The same in version 1.
const FIRST_HEADER_BYTES: usize = 20;
const MAGIC: [u8; 3] = *b"SNJ";
/// The version that this crate writes. It also reads version 1.
const FORMAT_VERSION: u8 = 2;
const HEAD: u32 = 0;
const PART: u32 = 1;

/// A message that is whole.
#[derive(Debug)]
pub(super) struct Message<'m> {
    pub(super) generation: u64,
    /// The first batch of the group, or the next batch after a head.
    pub(super) first: u64,
    pub(super) content: Content<'m>,
}

#[derive(Debug)]
pub(super) enum Content<'m> {
    Head {
        head: JournalHead,
        rules: u32,
    },
    Part {
        /// The format version.
        version: u8,
        /// Index of the part, below `n_parts`.
        part: u32,
        n_parts: u32,
        bytes: &'m [u8],
    },
}

/// Decodes the message with this sequence number. The error is a problem, see
/// [`JournalError::DamagedMessage`](schedule_stream::journal::JournalError::DamagedMessage).
pub(super) fn decode(sequence: u64, bytes: &[u8]) -> Result<Message<'_>, &'static str> {
    if bytes.len() < HEADER_BYTES || bytes[4..7] != MAGIC {
        return Err("is not a message of a journal");
    }
    let version = bytes[7];
    if !(1..=FORMAT_VERSION).contains(&version) {
        return Err("has another format version");
    }
    if u32_at(bytes, 0) != checksum(sequence, &bytes[4..]) {
        return Err("is damaged: its checksum does not agree");
    }
    let body = &bytes[HEADER_BYTES..];
    let content = match u32_at(bytes, 8) {
        HEAD => match decode_head(version, body) {
            Some((rules, head)) => Content::Head { head, rules },
            None => return Err("is damaged: its head cannot be read"),
        },
        PART if u32_at(bytes, 12) < u32_at(bytes, 16) => Content::Part {
            version,
            part: u32_at(bytes, 12),
            n_parts: u32_at(bytes, 16),
            bytes: body,
        },
        _ => return Err("is damaged: it is of an unknown kind"),
    };
    Ok(Message {
        generation: u64_at(bytes, 24),
        first: u64_at(bytes, 32),
        content,
    })
}

/// Returns the rules and the head.
fn decode_head(version: u8, body: &[u8]) -> Option<(u32, JournalHead)> {
    let (rules, body) = match version {
        1 => (1, body),
        _ => body
            .split_first_chunk()
            .map(|(rules, body)| (u32::from_le_bytes(*rules), body))?,
    };
    internal::decode_head(version == 1, body).map(|head| (rules, head))
}

/// Returns the message of a head.
pub(super) fn encode_head(
    sequence: u64,
    generation: u64,
    first: u64,
    head: &JournalHead,
) -> Vec<u8> {
    let mut body = RULES.to_le_bytes().to_vec();
    body.extend(postcard::to_allocvec(head).expect("strings and numbers can be serialized"));
    encode(sequence, HEAD, 0..0, generation, first, &body)
}

/// Returns the messages of a group of entries, in parts of at most `max_bytes` bytes, which is above [`HEADER_BYTES`].
///
/// `sequence`: that of the first message.
pub(super) fn encode_group(
    sequence: u64,
    generation: u64,
    records: &[JournalRecord],
    max_bytes: usize,
) -> Vec<Vec<u8>> {
    let mut joined = Vec::new();
    for record in records {
        let n_bytes = u32::try_from(record.body.len()).expect("the length of the body was checked");
        joined.extend(record.batch.to_le_bytes());
        joined.extend(record.time.to_le_bytes());
        joined.extend(n_bytes.to_le_bytes());
        let (kind, flags) = record.kind.to_stored();
        joined.extend(kind.to_le_bytes());
        joined.extend(flags.to_le_bytes());
        joined.extend(&record.body);
    }
    let parts = joined.chunks(max_bytes - HEADER_BYTES);
    let n_parts = u32::try_from(parts.len()).expect("memory has fewer than 2^32 parts");
    let numbered = (0..n_parts).zip(sequence..).zip(parts);
    numbered
        .map(|((part, sequence), body)| {
            let first = records[0].batch;
            encode(sequence, PART, part..n_parts, generation, first, body)
        })
        .collect()
}

/// Returns the entries of the joined parts of a group, or `None` if the bytes are not entries of this format version.
pub(super) fn decode_group(version: u8, mut bytes: &[u8]) -> Option<Vec<JournalRecord>> {
    let n_header = match version {
        1 => FIRST_HEADER_BYTES,
        _ => ENTRY_HEADER_BYTES,
    };
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let (header, rest) = bytes.split_at_checked(n_header)?;
        let (body, rest) = rest.split_at_checked(u32_at(header, 16) as usize)?;
        records.push(JournalRecord {
            batch: u64_at(header, 0),
            kind: match version {
                1 => EntryKind::BATCH,
                _ => EntryKind::from_stored(u16_at(header, 20), u16_at(header, 22)),
            },
            time: u64_at(header, 8),
            body: body.to_vec(),
        });
        bytes = rest;
    }
    Some(records)
}

fn encode(
    sequence: u64,
    kind: u32,
    part: Range<u32>,
    generation: u64,
    first: u64,
    body: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES + body.len());
    bytes.extend([0; 4]);
    bytes.extend(MAGIC);
    bytes.push(FORMAT_VERSION);
    for number in [kind, part.start, part.end, 0] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(generation.to_le_bytes());
    bytes.extend(first.to_le_bytes());
    bytes.extend(body);
    seal(sequence, &mut bytes);
    bytes
}

/// Writes the checksum of a message.
pub(super) fn seal(sequence: u64, bytes: &mut [u8]) {
    let checksum = checksum(sequence, &bytes[4..]);
    bytes[..4].copy_from_slice(&checksum.to_le_bytes());
}

/// The checksum contains the sequence number, so a message in the place of another one is not whole.
fn checksum(sequence: u64, bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&sequence.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let bytes = bytes[at..at + 2].try_into();
    u16::from_le_bytes(bytes.expect("the slice has two bytes"))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes[at..at + 4].try_into();
    u32::from_le_bytes(bytes.expect("the slice has four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes[at..at + 8].try_into();
    u64::from_le_bytes(bytes.expect("the slice has eight bytes"))
}
