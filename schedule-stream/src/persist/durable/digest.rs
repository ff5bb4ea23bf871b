//! The digests of the outcomes of a batch: one of all, and one of each.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crc32fast::Hasher;

use super::DurableEvent;
use super::outcome_digests::OutcomeDigests;
use crate::program::outcome::{EventError, Outcome};
use schedule::snapshot::{Encoder, SnapshotError};

/// Number of bytes that are hashed at once.
const MAX_BYTES: usize = 16 << 10;

/// Checksums of outcomes. They do not depend on the compiler or the processor.
pub(super) struct Digest {
    hasher: Hasher,
    /// The bytes of outcomes that are not hashed. A checksum of few bytes is slow.
    bytes: Encoder,
    /// Whether an answer or an error could not be serialized.
    has_failed: bool,
    /// The end of each outcome in `bytes`. Nothing is between two ends if the outcome could not be written.
    ends: Vec<usize>,
    /// `None` if the journal has no digests of single outcomes.
    each: Option<OutcomeDigests>,
}

impl Digest {
    /// `each`: without outcomes.
    pub(super) fn new(each: Option<OutcomeDigests>) -> Self {
        Self {
            hasher: Hasher::new(),
            bytes: Encoder::new(),
            has_failed: false,
            ends: Vec::new(),
            each,
        }
    }

    pub(super) fn add<E: DurableEvent>(&mut self, outcome: &Outcome<E>) {
        if self.bytes.as_bytes().len() > MAX_BYTES {
            self.hash();
        }
        let n_before = self.bytes.as_bytes().len();
        // The code that serializes an answer or formats an error is user code, and may panic.
        let written = catch_unwind(AssertUnwindSafe(|| write(outcome, &mut self.bytes)));
        let is_known = matches!(written, Ok(Ok(())));
        self.has_failed |= !is_known;
        if !is_known {
            self.bytes.truncate(n_before);
        }
        if self.each.is_some() {
            self.ends.push(self.bytes.as_bytes().len());
        }
    }

    fn hash(&mut self) {
        self.hasher.update(self.bytes.as_bytes());
        if let Some(each) = &mut self.each {
            // Bytes that were just written are slow to read.
            each.extend(self.bytes.as_bytes(), &self.ends);
            self.ends.clear();
        }
        self.bytes.clear();
    }

    /// Returns the digest of all outcomes, `None` if it is unknown, and the digests of each.
    pub(super) fn finish(mut self) -> (Option<u32>, Option<OutcomeDigests>) {
        self.hash();
        let all = (!self.has_failed).then(|| self.hasher.finalize());
        (all, self.each)
    }
}

/// Writes what the digest of an outcome depends on.
pub(super) fn write<E: DurableEvent>(
    outcome: &Outcome<E>,
    to: &mut Encoder,
) -> Result<(), SnapshotError> {
    to.write(&(outcome.position.index, outcome.handler))?;
    match &outcome.result {
        Ok(answer) => {
            to.write(&0_u8)?;
            to.write(answer)
        }
        Err(EventError::Failed(error)) => {
            to.write(&1_u8)?;
            to.write(&error.to_string())
        }
        // The message of a panic may contain addresses.
        Err(EventError::Panicked(_)) => to.write(&2_u8),
        Err(EventError::PanickedBeforeCall(_)) => to.write(&3_u8),
        Err(refused) => to.write(&(4_u8, refused.refusal())),
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Digest").finish_non_exhaustive()
    }
}
