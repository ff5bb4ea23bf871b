//! The body of a record in the journal: the events of a batch, and the positions that are skipped from then on.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::DurableEvent;
use super::error::DurableError;
use crate::journal::{JournalHead, StoredRecord};
use crate::position::{self, Position};
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotError};

/// The events of the input of a batch.
#[derive(Debug)]
pub(crate) struct Batch<E> {
    /// The digest of the outcomes of the previous batch, if they are known.
    pub(super) previous: Option<u32>,
    pub(super) events: Vec<E>,
}

/// Size in bytes after which a service ends a batch.
const LARGE: usize = 16 << 20;

/// The events of a batch that begins, as bytes.
pub(crate) struct BatchWriter {
    bytes: Vec<u8>,
    n: u32,
    max_event_bytes: usize,
    /// The bytes of one event.
    scratch: Encoder,
}

impl BatchWriter {
    pub(super) fn new(max_event_bytes: usize) -> Self {
        Self {
            bytes: Vec::new(),
            n: 0,
            max_event_bytes,
            scratch: Encoder::new(),
        }
    }

    /// Adds an event.
    ///
    /// # Errors
    ///
    /// Fails if the event cannot be saved or is too large. It is not added then.
    pub(crate) fn push<E: DurableEvent>(&mut self, event: &E) -> Result<(), DurableError> {
        self.scratch.clear();
        // The code that saves an event is user code, and may panic.
        let saved = catch_unwind(AssertUnwindSafe(|| self.scratch.save(event)));
        saved.map_err(DurableError::panicked)??;
        let bytes = self.scratch.as_bytes();
        if bytes.len() > self.max_event_bytes {
            return Err(DurableError::EventTooLarge {
                index: self.n as usize,
                n_bytes: bytes.len(),
                max_bytes: self.max_event_bytes,
            });
        }
        self.bytes.extend_from_slice(bytes);
        self.n += 1;
        Ok(())
    }

    /// Returns whether the batch is so large that a service ends it.
    pub(crate) fn is_large(&self) -> bool {
        self.bytes.len() >= LARGE
    }

    /// Returns the body, and begins the next batch. `previous`: the digest of the outcomes of the previous batch, if they
    /// are known. `skipped`: positions in earlier batches, of failed events that stop the stream no longer.
    pub(super) fn finish(
        &mut self,
        previous: Option<u32>,
        skipped: &[Position],
    ) -> Result<Vec<u8>, DurableError> {
        let mut encoder = Encoder::new();
        encoder.write(&previous)?;
        encoder.write(&position::to_pairs(skipped))?;
        encoder.write(&self.n)?;
        let mut body = encoder.into_bytes();
        body.append(&mut self.bytes);
        self.n = 0;
        Ok(body)
    }
}

impl fmt::Debug for BatchWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BatchWriter({})", self.n)
    }
}

/// Decodes the body of a record.
pub(super) fn decode<E: DurableEvent>(stored: StoredRecord<'_>) -> Result<Batch<E>, SnapshotError> {
    let version = event_version::<E>(stored.head);
    let mut decoder = Decoder::new(&stored.record.body);
    let previous = decoder.read()?;
    let _skipped: Vec<(u64, u32)> = decoder.read()?;
    let n: u32 = decoder.read()?;
    let events = (0..n).map(|_| decoder.restore(version));
    let events = events.collect::<Result<_, _>>()?;
    decoder.finish()?;
    Ok(Batch { previous, events })
}

/// Returns the version of the events in the records of a program, 0 if it has no such events.
pub(super) fn event_version<E: DurableEvent>(head: &JournalHead) -> u32 {
    let of = head.types.iter().find(|of| of.0 == <E as Snapshot>::NAME);
    of.map_or(0, |of| of.1)
}

/// Decodes the positions that a record skips, without its events.
pub(super) fn decode_skipped(body: &[u8]) -> Result<Vec<Position>, SnapshotError> {
    let mut decoder = Decoder::new(body);
    let _: Option<u32> = decoder.read()?;
    decoder.read().map(position::from_pairs)
}
