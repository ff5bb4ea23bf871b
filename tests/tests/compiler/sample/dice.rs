//! Random numbers of proptest.

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// What decides in a random case.
pub(super) struct Dice(pub(super) TestRng);

/// The generator of this number.
pub(super) fn rng(seed: u64) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

impl Dice {
    /// Less than `n`, which is not 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.0.next_u32()) * n as u64) >> 32) as usize
    }

    pub(super) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of these, if there are any.
    pub(super) fn one_of<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        (!all.is_empty()).then(|| all[self.below(all.len())].clone())
    }
}
