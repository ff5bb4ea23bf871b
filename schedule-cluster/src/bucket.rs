//! Buckets: the parts into which keys are divided. Each bucket belongs to one process.

use std::hash::Hasher;

use schedule::snapshot::Encoder;
use serde::Serialize;
use siphasher::sip::SipHasher13;

/// Number of buckets. It is a part of the format of snapshots.
pub(crate) const N_BUCKETS: u16 = 1024;

/// The hash of a key. It is the same in every process and release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyHash(u64);

impl KeyHash {
    /// Hashes the serialized bytes of a key. Records of different types with the same key have the same hash, so they belong
    /// to the same process.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut hasher = SipHasher13::new();
        hasher.write(bytes);
        Self(hasher.finish())
    }

    pub(crate) fn bucket(self) -> u16 {
        // The upper bits: as a number from 0 to 1023.
        (self.0 >> (64 - N_BUCKETS.trailing_zeros())) as u16
    }

    /// Returns the id of the queue of a key of this store. Two keys with the same id share a queue, which only delays events.
    pub(crate) fn queue(self, store: u16) -> u64 {
        (self.0 ^ u64::from(store)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// Returns the process that owns a bucket, of `n` processes. Each owns consecutive buckets.
pub(crate) fn owner(bucket: u16, n: u32) -> u32 {
    u32::from(bucket) * n / u32::from(N_BUCKETS)
}

/// Returns the index of the worker process that owns the records of a key, of `n_processes` processes.
///
/// It depends on the serialized bytes of the key. Keys that are equal must have equal bytes.
///
/// # Panics
///
/// Panics if the key cannot be serialized, or if `n_processes` is 0.
pub fn owner_of(key: &impl Serialize, n_processes: u32) -> u32 {
    assert!(n_processes > 0, "a cluster has at least one process");
    let mut encoder = Encoder::new();
    let written = encoder.write(key);
    written.expect("a key can be serialized");
    owner(KeyHash::of(encoder.as_bytes()).bucket(), n_processes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_never_change() {
        let buckets: Vec<_> = [&b""[..], &[0], &[1], b"Ada"]
            .map(|key| KeyHash::of(key).bucket())
            .to_vec();
        assert_eq!(buckets, EXPECTED);
    }

    /// Written by the first version. If they change, snapshots of earlier versions cannot be restored.
    const EXPECTED: [u16; 4] = [839, 418, 274, 22];

    #[test]
    fn each_process_owns_about_the_same_number_of_buckets() {
        for n in 1..=64 {
            let mut owned = vec![0; n as usize];
            (0..N_BUCKETS).for_each(|bucket| owned[owner(bucket, n) as usize] += 1);
            let [min, max] = [owned.iter().min(), owned.iter().max()].map(Option::unwrap);
            assert!(max - min <= 1, "{n}: {owned:?}");
        }
    }
}
