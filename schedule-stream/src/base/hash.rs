//! Hashes of record addresses, for tables of a fixed size.

use core::ptr::NonNull;

/// Returns a hash below `n`, a power of two, of the address of a record.
#[inline(always)]
pub(crate) fn hash(address: NonNull<()>, n: usize) -> usize {
    (spread(address) >> (64 - n.trailing_zeros())) as usize
}

/// Addresses of records often differ by small multiples of this number of bytes.
const STRIDE: u32 = 16;

/// Returns a hash of the address of a record. Its upper bits are better than the lower ones. Multiplication with the
/// golden ratio: Knuth, The Art of Computer Programming 3, 6.4. It spreads consecutive numbers best, so the address is
/// rotated by the stride first.
#[inline(always)]
pub(crate) fn spread(address: NonNull<()>) -> u64 {
    let nth = (address.addr().get() as u64).rotate_right(STRIDE.trailing_zeros());
    nth.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::*;

    #[test]
    fn some_records_have_the_same_hash() {
        // The same addresses as in the tests of the orderings.
        let address =
            |nth: usize| NonNull::new(without_provenance_mut(16 + 16 * 21 * nth)).unwrap();
        for n in [16, 32] {
            let mut hashes: Vec<usize> = (0..12).map(|nth| hash(address(nth), n)).collect();
            hashes.sort_unstable();
            hashes.dedup();
            assert!((2..12).contains(&hashes.len()), "{n}: {hashes:?}");
        }
    }
}
