//! Random numbers from proptest.

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// Makes the random decisions of a case.
pub(super) struct Dice(pub(super) TestRng);

/// Returns the generator with this seed.
pub(super) fn rng(seed: u64) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

impl Dice {
    /// Returns a number less than `n`, which must not be 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.0.next_u32()) * n as u64) >> 32) as usize
    }

    pub(super) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// Returns one of these elements, or `None` if there are none.
    pub(super) fn one_of<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        (!all.is_empty()).then(|| all[self.below(all.len())].clone())
    }
}
