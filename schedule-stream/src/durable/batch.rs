//! The body of a record in the journal: the events of a batch.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::DurableEvent;
use super::error::DurableError;
use schedule::snapshot::{Decoder, Encoder, SnapshotError};

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

    /// Returns the body. `previous`: the digest of the outcomes of the previous batch, if they are known. Begins the next
    /// batch.
    pub(super) fn finish(&mut self, previous: Option<u32>) -> Result<Vec<u8>, DurableError> {
        let mut encoder = Encoder::new();
        encoder.write(&previous)?;
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

/// Decodes the body of a batch whose events have this version.
pub(super) fn decode<E: DurableEvent>(
    body: &[u8],
    version: u32,
) -> Result<Batch<E>, SnapshotError> {
    let mut decoder = Decoder::new(body);
    let previous = decoder.read()?;
    let n: u32 = decoder.read()?;
    let events = (0..n).map(|_| decoder.restore(version));
    let events = events.collect::<Result<_, _>>()?;
    decoder.finish()?;
    Ok(Batch { previous, events })
}
