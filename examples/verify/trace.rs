//! The result of a run, as hashes.

/// Equal for two runs if every system saw the same values in both.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    /// `seen[s]`: hash of the values that system s saw in its resources; len = n_systems.
    pub(crate) seen: Vec<u64>,
    /// `values[r]`: hash of all writes to resource r, in their order; len = n_resources.
    pub(crate) values: Vec<u64>,
}

/// Returns the hash of the values that a system sees: first those that it reads, then those that it writes.
pub(crate) fn seen(system_idx: usize, found: impl IntoIterator<Item = u64>) -> u64 {
    let start = mix(FNV_OFFSET, system_idx as u64);
    found.into_iter().fold(start, mix)
}

/// Returns the new value of a resource, from the hash of the system that writes it.
pub(crate) fn written(seen: u64, resource: usize, before: u64) -> u64 {
    mix(mix(before, seen), resource as u64)
}

/// FNV-1a (Fowler, Noll, Vo 1991), a word at a time, with a rotation so that high bits reach low ones.
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(FNV_PRIME).rotate_left(29)
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
