//! The digest of the outcomes of a batch.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crc32fast::Hasher;

use super::DurableEvent;
use crate::outcome::{EventError, Outcome};
use schedule::snapshot::{Encoder, SnapshotError};

/// Number of bytes that are hashed at once.
const MAX_BYTES: usize = 16 << 10;

/// A checksum of outcomes. It does not depend on the compiler or the processor.
#[derive(Default)]
pub(super) struct Digest {
    hasher: Hasher,
    /// The bytes of outcomes that are not hashed. A checksum of few bytes is slow.
    bytes: Encoder,
    /// Whether an answer or an error could not be serialized.
    has_failed: bool,
}

impl Digest {
    pub(super) fn add<E: DurableEvent>(&mut self, outcome: &Outcome<E>) {
        if self.bytes.as_bytes().len() > MAX_BYTES {
            self.hash();
        }
        // The code that serializes an answer or formats an error is user code, and may panic.
        let written = catch_unwind(AssertUnwindSafe(|| write(outcome, &mut self.bytes)));
        self.has_failed |= !matches!(written, Ok(Ok(())));
    }

    fn hash(&mut self) {
        self.hasher.update(self.bytes.as_bytes());
        self.bytes.clear();
    }

    /// Returns the digest. `None` if it is unknown.
    pub(super) fn finish(mut self) -> Option<u32> {
        self.hash();
        (!self.has_failed).then(|| self.hasher.finalize())
    }
}

fn write<E: DurableEvent>(outcome: &Outcome<E>, to: &mut Encoder) -> Result<(), SnapshotError> {
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
