//! A hash to compare results.

use core::fmt;

use crate::result::{Applied, EventResult, Rejected};

/// A hash of a list of numbers. FNV-1a (Fowler, Noll, Vo 1991).
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

    pub(crate) fn of_results(results: &[EventResult]) -> Self {
        Self::of_numbers(results.iter().map(|result| match result {
            Ok(Applied::Moved) => 1,
            Ok(Applied::ToSelf) => 2,
            Err(Rejected::Overdrawn) => 3,
            Err(Rejected::NoToken) => 4,
        }))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
