//! One number that differs if anything differs.

use core::fmt;

use crate::verdict::{Refused, Settled, Verdict};

/// Of numbers, in their order. FNV-1a (Fowler, Noll, Vo 1991).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest(u64);

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

impl Digest {
    pub(crate) fn of_numbers(numbers: impl IntoIterator<Item = u128>) -> Self {
        let bytes = numbers.into_iter().flat_map(u128::to_le_bytes);
        Self(bytes.fold(FNV_OFFSET, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
        }))
    }

    pub(crate) fn of_verdicts(verdicts: &[Verdict]) -> Self {
        Self::of_numbers(verdicts.iter().map(|verdict| match verdict {
            Ok(Settled::Moved) => 1,
            Ok(Settled::ToSelf) => 2,
            Err(Refused::Overdrawn) => 3,
            Err(Refused::NoToken) => 4,
        }))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
