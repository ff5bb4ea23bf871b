//! A hash to compare results.

use schedule::prelude::*;

use crate::row::Table;

/// A hash of all rows so far.
#[derive(Resource)]
pub(crate) struct Digest(pub(crate) u64);

impl Default for Digest {
    fn default() -> Self {
        Self(FNV_OFFSET)
    }
}

#[system]
pub(crate) fn digest(table: &Table, digest: &mut Digest) {
    let numbers = table.last().into_iter().flat_map(|row| row.numbers());
    let bytes = numbers.flat_map(u128::to_le_bytes);
    digest.0 = bytes.fold(digest.0, mix);
}

/// FNV-1a (Fowler, Noll, Vo 1991).
fn mix(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
