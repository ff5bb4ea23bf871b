//! Where records are in tables of a fixed size.

use core::ptr::NonNull;

/// A number below `n`, a power of two, for the record at an address.
#[inline(always)]
pub(super) fn hash(address: NonNull<()>, n: usize) -> usize {
    (spread(address) >> (64 - n.trailing_zeros())) as usize
}

/// Records are often so many bytes apart, or a few times as many.
const STRIDE: u32 = 16;

/// A number for the record at an address, of which the higher bits are the better ones: by multiplication (Knuth, The Art of
/// Computer Programming 3, 6.4), with the golden ratio. It spreads numbers in a row best, so what comes of the stride is turned
/// to the other end.
#[inline(always)]
pub(super) fn spread(address: NonNull<()>) -> u64 {
    let nth = (address.addr().get() as u64).rotate_right(STRIDE.trailing_zeros());
    nth.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::*;

    #[test]
    fn some_records_are_taken_for_one() {
        // Those of which the orderings are tested.
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
