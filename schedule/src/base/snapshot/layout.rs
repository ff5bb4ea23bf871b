//! The layout of a snapshot: see `docs/snapshot-format.md`. All numbers are little-endian.

/// The first bytes. The first one is not ASCII and the last one is a line feed, so that transfers as text are detected.
pub(super) const MAGIC: [u8; 8] = *b"\x89SCHSNP\n";

/// The number of the format that is written. Format 1 is read, too.
pub(super) const FORMAT: u32 = 2;

/// The positions of the fields of the head.
pub(super) const FORMAT_AT: usize = 8;
pub(super) const N_SECTIONS_AT: usize = 12;
pub(super) const LEN_AT: usize = 16;

/// The length of the head, in bytes.
pub(super) const HEAD_LEN: usize = 24;

/// The length of the checksum at the end, in bytes.
pub(super) const CHECKSUM_LEN: usize = 4;

/// The checksum of everything before it: CRC-32 with the polynomial of IEEE 802.3.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}
