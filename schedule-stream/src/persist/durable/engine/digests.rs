//! The digests of the outcomes of the last batches, for the journal and for the comparison with it.

use super::super::DurableEvent;
use super::super::batch::PreviousDigest;
use super::super::digest::Digest;
use super::super::outcome_digests::OutcomeDigests;
use super::Engine;
use crate::persist::journal::JournalRecord;

/// Number of digests that are kept. A batch begins before the digest of the batch before it is known, if batches run in other
/// processes.
const MAX_DIGESTS: usize = 16;

impl<E: DurableEvent> Engine<E> {
    /// The digest of the outcomes of a batch, if they are known.
    pub(in super::super) fn digest_of(&self, batch: u64) -> Option<u32> {
        let of = self.digests.iter().find(|of| of.0 == batch);
        of.map(|of| of.1)
    }

    /// `n_expected`: the expected number of outcomes.
    pub(super) fn new_digest(&self, batch: u64, n_expected: usize) -> Digest {
        let each = || OutcomeDigests::new(batch, n_expected);
        Digest::new(self.has_outcome_digests.then(each))
    }

    /// Returns the digests of the outcomes of the batch that was finished last, once.
    pub(crate) fn take_outcome_digests(&mut self) -> Option<OutcomeDigests> {
        self.outcome_digests.take()
    }

    /// Returns these digests as an entry of the journal, once.
    pub(crate) fn take_digest_entry(&mut self) -> Option<JournalRecord> {
        let digests = self.outcome_digests.take()?;
        Some(digests.into_entry(self.stream.time()))
    }

    pub(super) fn add_digest(&mut self, batch: u64, digest: Digest) {
        let (digest, each) = digest.finish();
        self.outcome_digests = each;
        self.digests.extend(digest.map(|digest| (batch, digest)));
        if self.digests.len() > MAX_DIGESTS {
            self.digests.pop_front();
        }
    }

    /// The newest digest, for the record of this batch.
    pub(super) fn previous_digest(&self, batch: u64) -> Option<PreviousDigest> {
        let &(of, digest) = self.digests.back()?;
        let distance = u8::try_from(batch - of).ok()?;
        Some(PreviousDigest { distance, digest })
    }
}
