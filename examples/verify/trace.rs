//! What a run leaves behind, and how much a system adds to it.

/// Equal for two runs if every system saw the same in both.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    /// `seen[s]`: a hash of all that system s found in what it touches; len = n_systems.
    pub(crate) seen: Vec<u64>,
    /// `values[r]`: a hash of all that was ever written to resource r, and in which order; len = n_resources.
    pub(crate) values: Vec<u64>,
}

/// What a system makes of the values that it finds: of those it reads, then of those it writes.
pub(crate) fn seen(system_idx: usize, found: impl IntoIterator<Item = u64>) -> u64 {
    let start = mix(FNV_OFFSET, system_idx as u64);
    found.into_iter().fold(start, mix)
}

/// What a system that has seen this leaves in a resource that it writes.
pub(crate) fn written(seen: u64, resource: usize, before: u64) -> u64 {
    mix(mix(before, seen), resource as u64)
}

/// FNV-1a (Fowler, Noll, Vo 1991), a word at a time, with a rotation so that high bits reach low ones.
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(FNV_PRIME).rotate_left(29)
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
