//! Random numbers with a fixed seed.

/// The generator SplitMix64 (Steele, Lea, Flood 2014).
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new() -> Self {
        Self(0)
    }

    /// A random number below `n`. The bias is negligible for small `n`.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % n
    }
}
