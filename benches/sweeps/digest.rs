//! Digests of results, to check that all contenders compute the same.

/// A digest of entities, which does not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digest(u64);

impl Digest {
    /// Adds the numbers of an entity, or of a resource.
    pub(crate) fn add(&mut self, numbers: impl IntoIterator<Item = u64>) {
        let mix = |digest: u64, number: u64| {
            let mixed = (digest ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 32)
        };
        let of_numbers = numbers.into_iter().fold(1, mix);
        self.0 = self.0.wrapping_add(of_numbers);
    }
}
