//! The digest of the outcomes of a batch.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crc32fast::Hasher;
use serde::Serialize;

use super::DurableEvent;
use crate::outcome::{EventError, Outcome};

/// A checksum of outcomes. It does not depend on the compiler or the processor.
#[derive(Debug, Default)]
pub(super) struct Digest {
    hasher: Hasher,
    /// Whether an answer or an error could not be serialized.
    has_failed: bool,
}

impl Digest {
    pub(super) fn add<E: DurableEvent>(&mut self, outcome: &Outcome<E>) {
        self.write(&(outcome.position.index, outcome.handler));
        match &outcome.result {
            Ok(answer) => {
                self.write(&0_u8);
                self.write(answer);
            }
            Err(EventError::Failed(error)) => {
                self.write(&1_u8);
                self.write_with(|| postcard::to_allocvec(&error.to_string()));
            }
            // The message of a panic may contain addresses.
            Err(EventError::Panicked(_)) => self.write(&2_u8),
            Err(EventError::PanickedBeforeCall(_)) => self.write(&3_u8),
            Err(refused) => {
                self.write(&4_u8);
                self.write(&refused.refusal());
            }
        }
    }

    fn write<T: Serialize + ?Sized>(&mut self, value: &T) {
        self.write_with(|| postcard::to_allocvec(value));
    }

    /// Adds bytes from user code, which may panic.
    fn write_with(&mut self, bytes: impl FnOnce() -> postcard::Result<Vec<u8>>) {
        match catch_unwind(AssertUnwindSafe(bytes)) {
            Ok(Ok(bytes)) => self.hasher.update(&bytes),
            Ok(Err(_)) | Err(_) => self.has_failed = true,
        }
    }

    /// Returns the digest. `None` if it is unknown.
    pub(super) fn finish(self) -> Option<u32> {
        (!self.has_failed).then(|| self.hasher.finalize())
    }
}
