//! The digests of the outcomes of a batch, one for each, as an entry of the journal.
//!
//! The body has the number of the batch (8 bytes), flags (4 bytes), and the digests in the order of positions (4 bytes each). Bit
//! 0 of the flags: the last outcome has stopped the stream, so later positions had no outcomes. The digest 0 is an unknown one.

use core::fmt;

use crate::base::position::BatchTime;
use crate::persist::journal::{EntryKind, JournalRecord};
use schedule::snapshot::{Decoder, SnapshotError};

/// Size of the number of the batch and the flags in bytes.
const HEADER_BYTES: usize = 12;

/// The byte with bit 0 of the flags.
const FLAGS_AT: usize = 8;

/// The flag of a batch that has stopped the stream.
const IS_STOPPED: u8 = 1;

/// See the module.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct OutcomeDigests {
    /// The body of the entry.
    body: Vec<u8>,
}

impl OutcomeDigests {
    /// Of no outcomes. `n_expected`: the expected number.
    pub(super) fn new(batch: u64, n_expected: usize) -> Self {
        let mut body = Vec::with_capacity(HEADER_BYTES + 4 * n_expected);
        body.extend(batch.to_le_bytes());
        body.extend([0; HEADER_BYTES - FLAGS_AT]);
        Self { body }
    }

    /// Reads the body of an entry.
    pub(super) fn of_entry(body: &[u8]) -> Result<Self, SnapshotError> {
        let is_valid = body.len() >= HEADER_BYTES && body.len().is_multiple_of(4);
        if is_valid {
            Ok(Self {
                body: body.to_vec(),
            })
        } else {
            Err(Decoder::new(body).error("the entry with digests of outcomes has a wrong size"))
        }
    }

    /// Adds the digests of the next outcomes, which are written in these bytes. `ends`: the end of each. The digest of an outcome
    /// without bytes is unknown.
    pub(super) fn extend(&mut self, bytes: &[u8], ends: &[usize]) {
        let mut start = 0;
        self.body.reserve(4 * ends.len());
        for &end in ends {
            let outcome = &bytes[start..end];
            let digest = if outcome.is_empty() {
                0
            } else {
                checksum(outcome).max(1)
            };
            self.body.extend_from_slice(&digest.to_le_bytes());
            start = end;
        }
    }

    /// The last outcome has stopped the stream.
    pub(super) fn set_stopped(&mut self) {
        self.body[FLAGS_AT] |= IS_STOPPED;
    }

    fn is_stopped(&self) -> bool {
        self.body[FLAGS_AT] & IS_STOPPED != 0
    }

    /// The number of the batch.
    pub(super) fn batch(&self) -> u64 {
        let bytes = self.body.first_chunk();
        u64::from_le_bytes(*bytes.expect("the body has a header"))
    }

    fn each(&self) -> impl ExactSizeIterator<Item = u32> {
        let (digests, _) = self.body[HEADER_BYTES..].as_chunks();
        digests.iter().copied().map(u32::from_le_bytes)
    }

    /// Compares these digests of a replay with earlier ones of the same batch. Returns the first index with another outcome, or with
    /// an outcome in only one of them.
    pub(super) fn first_difference(&self, earlier: &Self) -> Option<u32> {
        if self == earlier {
            return None;
        }
        let (now, before) = (self.each(), earlier.each());
        let (n_now, n_before) = (now.len(), before.len());
        let differs = |(now, before): (u32, u32)| now != before && now != 0 && before != 0;
        let index = now.zip(before).position(differs);
        let index = index.or({
            // The event that had stopped the stream may be skipped now.
            let is_same = n_now == n_before || n_now > n_before && earlier.is_stopped();
            (!is_same).then_some(n_now.min(n_before))
        });
        index.map(|index| index as u32)
    }

    /// Returns the entry. The journal sets its number when it is appended.
    pub(super) fn into_entry(self, time: BatchTime) -> JournalRecord {
        JournalRecord {
            batch: 0,
            kind: EntryKind::OUTCOME_DIGESTS,
            time: time.as_nanos(),
            body: self.body,
        }
    }
}

/// Returns a checksum of a few bytes. CRC-32 is slow for them. `docs/journal-format.md` defines it.
///
/// Each step is a bijection of the state, so a change of one group of 8 bytes always changes the last state.
#[inline]
fn checksum(bytes: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |state: u64, group: [u8; 8]| {
        let product = (state ^ u64::from_le_bytes(group)).wrapping_mul(FACTOR);
        product ^ (product >> 32)
    };
    let (groups, rest) = bytes.as_chunks();
    let state = groups.iter().copied().fold(bytes.len() as u64, step);
    // The last group overlaps the one before. So its bytes are read at once.
    let last = bytes.last_chunk().copied().unwrap_or_else(|| {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        last
    });
    let state = step(state, last);
    (state.wrapping_mul(FACTOR) >> 32) as u32
}

impl fmt::Debug for OutcomeDigests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutcomeDigests")
            .field("batch", &self.batch())
            .field("len", &self.each().len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(outcomes: &[&[u8]], is_stopped: bool) -> OutcomeDigests {
        let mut digests = OutcomeDigests::new(7, outcomes.len());
        let ends = outcomes.iter().scan(0, |end, outcome| {
            *end += outcome.len();
            Some(*end)
        });
        digests.extend(&outcomes.concat(), &ends.collect::<Vec<_>>());
        if is_stopped {
            digests.set_stopped();
        }
        digests
    }

    /// The values must not change between releases.
    #[test]
    fn digests_are_those_of_the_format() {
        let digests = digests(&[b"", b"a", b"12345678", b"a longer outcome"], true);
        assert_eq!(digests.batch(), 7);
        assert!(digests.is_stopped());
        let found: Vec<u32> = digests.each().collect();
        assert_eq!(found, [0, 0x27d1_3417, 0xb1ea_5d11, 0x2111_c542]);
        assert_eq!(OutcomeDigests::of_entry(&digests.body).unwrap(), digests);
    }

    #[test]
    fn each_changed_byte_changes_the_digest() {
        let bytes: Vec<u8> = (0..40).collect();
        for len in 1..bytes.len() {
            let of = checksum(&bytes[..len]);
            for at in 0..len {
                let mut changed = bytes[..len].to_vec();
                for bit in 0..8 {
                    changed[at] ^= 1 << bit;
                    assert_ne!(checksum(&changed), of, "bit {bit} of byte {at} of {len}");
                    changed[at] ^= 1 << bit;
                }
            }
        }
    }

    #[test]
    fn first_difference_is_found() {
        let earlier = digests(&[b"a", b"b", b"c"], false);
        let of = |outcomes: &[&[u8]]| digests(outcomes, false).first_difference(&earlier);
        assert_eq!(of(&[b"a", b"b", b"c"]), None);
        assert_eq!(of(&[b"a", b"x", b"y"]), Some(1));
        assert_eq!(of(&[b"a", b"b"]), Some(2));
        assert_eq!(of(&[b"a", b"b", b"c", b"d"]), Some(3));
        // An outcome that could not be serialized equals each other one.
        assert_eq!(of(&[b"a", b"", b"c"]), None);
    }

    /// After `skip`, the events after the one that had stopped the stream have outcomes.
    #[test]
    fn outcomes_after_a_stopped_stream_are_new() {
        let earlier = digests(&[b"a", b"b"], true);
        let of = |outcomes: &[&[u8]]| digests(outcomes, false).first_difference(&earlier);
        assert_eq!(of(&[b"a", b"b", b"c"]), None);
        assert_eq!(of(&[b"a", b"x", b"c"]), Some(1));
        assert_eq!(of(&[b"a"]), Some(1));
    }

    #[test]
    fn entry_of_another_size_is_an_error() {
        for len in [0, 11, 13] {
            assert!(OutcomeDigests::of_entry(&vec![0; len]).is_err(), "{len}");
        }
    }
}
