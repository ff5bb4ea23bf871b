//! Checksums of many parts of the same bytes.

use core::ops::Range;

use crc32fast::Hasher;

/// The distance in bytes of two prefixes whose checksums are stored.
const STEP: usize = 64;

/// The checksums of some prefixes of bytes. That of any part follows in O(log n), after O(n) for n bytes: CRC-32 is linear (the
/// algorithm of `crc32_combine` in zlib).
#[derive(Debug)]
pub(super) struct PartChecksums<'b> {
    bytes: &'b [u8],
    /// `prefixes[i]`: the checksum of the first `i * STEP` bytes.
    prefixes: Vec<u32>,
}

impl<'b> PartChecksums<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        let mut hasher = Hasher::new();
        let mut prefixes = vec![0];
        prefixes.extend(bytes.chunks_exact(STEP).map(|chunk| {
            hasher.update(chunk);
            hasher.clone().finalize()
        }));
        Self { bytes, prefixes }
    }

    /// Returns the checksum of other bytes, which have the checksum `before`, and a part after them.
    pub(super) fn after(&self, before: u32, part: Range<usize>) -> u32 {
        // The bytes before the part contribute to both sums in the same way.
        let mut sum = Hasher::new_with_initial(before ^ self.prefix(part.start));
        sum.combine(&Hasher::new_with_initial_len(0, part.len() as u64));
        sum.finalize() ^ self.prefix(part.end)
    }

    fn prefix(&self, end: usize) -> u32 {
        let nth = end / STEP;
        let mut hasher = Hasher::new_with_initial(self.prefixes[nth]);
        hasher.update(&self.bytes[nth * STEP..end]);
        hasher.finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_each_part_is_that_of_its_bytes() {
        let bytes: Vec<u8> = (0..3 * STEP + 7).map(|n| (n * n / 3) as u8).collect();
        let checksums = PartChecksums::new(&bytes);
        let before = b"before";
        for start in 0..=bytes.len() {
            for end in start..=bytes.len() {
                let expected = crc32fast::hash(&[before, &bytes[start..end]].concat());
                let found = checksums.after(crc32fast::hash(before), start..end);
                assert_eq!(found, expected, "{start}..{end}");
            }
        }
        assert_eq!(PartChecksums::new(&[]).after(7, 0..0), 7);
    }
}
