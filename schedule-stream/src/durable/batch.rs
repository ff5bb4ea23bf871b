//! The body of a record in the journal: the events of a batch, and the positions that are skipped from then on.

use core::fmt;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::DurableEvent;
use super::error::DurableError;
use super::keys::{self, BatchKey};
use crate::batches::MAX_OUTSIDE;
use crate::journal::{JournalHead, StoredRecord};
use crate::position::{self, Position};
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotError};

/// The events of the input of a batch.
#[derive(Debug)]
pub(crate) struct Batch<E> {
    /// The digest of the outcomes of the previous batch, if they are known.
    pub(super) previous: Option<u32>,
    /// The version of the events.
    pub(super) version: u32,
    /// The idempotency keys of events, in the order of their indices.
    pub(super) keys: Vec<BatchKey>,
    pub(super) events: Vec<E>,
}

/// Size in bytes after which a batch ends.
const MAX_BATCH_BYTES: usize = 16 << 20;

/// A batch that begins: its events, also as bytes.
pub(crate) struct BatchWriter<E> {
    events: Vec<E>,
    keys: Vec<BatchKey>,
    /// The keys in `keys`.
    key_set: HashSet<Arc<str>>,
    bytes: Vec<u8>,
    max_event_bytes: usize,
    /// The bytes of one event.
    scratch: Encoder,
}

impl<E: DurableEvent> BatchWriter<E> {
    pub(super) fn new(max_event_bytes: usize) -> Self {
        Self {
            events: Vec::new(),
            keys: Vec::new(),
            key_set: HashSet::new(),
            bytes: Vec::new(),
            max_event_bytes,
            scratch: Encoder::new(),
        }
    }

    /// Adds an event.
    ///
    /// # Errors
    ///
    /// Fails if the event cannot be saved or is too large. It is not added then.
    pub(crate) fn push(&mut self, event: E) -> Result<(), DurableError> {
        self.encode(&event)?;
        self.add(event);
        Ok(())
    }

    /// Encodes an event. [`add`](Self::add) or [`add_keyed`](Self::add_keyed) adds it.
    ///
    /// # Errors
    ///
    /// As for [`push`](Self::push).
    pub(super) fn encode(&mut self, event: &E) -> Result<(), DurableError> {
        self.scratch.clear();
        // The code that saves an event is user code, and may panic.
        let saved = catch_unwind(AssertUnwindSafe(|| self.scratch.save(event)));
        saved.map_err(DurableError::panicked)??;
        let bytes = self.scratch.as_bytes();
        if bytes.len() > self.max_event_bytes {
            return Err(DurableError::EventTooLarge {
                index: self.events.len(),
                n_bytes: bytes.len(),
                max_bytes: self.max_event_bytes,
            });
        }
        Ok(())
    }

    /// Returns the digest of the event that was encoded last.
    pub(super) fn digest(&self) -> u128 {
        keys::digest(self.scratch.as_bytes())
    }

    /// Adds the event that was encoded last.
    pub(super) fn add(&mut self, event: E) {
        self.bytes.extend_from_slice(self.scratch.as_bytes());
        self.events.push(event);
    }

    /// Adds the event that was encoded last, with an idempotency key that no other event of the batch has.
    pub(super) fn add_keyed(&mut self, event: E, key: Arc<str>, digest: u128) {
        let index = self.events.len() as u32;
        self.key_set.insert(Arc::clone(&key));
        self.keys.push(BatchKey { index, key, digest });
        self.add(event);
    }

    /// Returns whether an event of the batch has this idempotency key.
    pub(super) fn has_key(&self, key: &str) -> bool {
        self.key_set.contains(key)
    }

    /// Adds events until the batch is full, or the input has no more.
    ///
    /// # Errors
    ///
    /// As for [`push`](Self::push).
    pub(super) fn fill(&mut self, events: &mut dyn Iterator<Item = E>) -> Result<(), DurableError> {
        while !self.is_full()
            && let Some(event) = events.next()
        {
            self.push(event)?;
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns whether the batch takes no more events.
    pub(crate) fn is_full(&self) -> bool {
        self.events.len() >= MAX_OUTSIDE as usize || self.bytes.len() >= MAX_BATCH_BYTES
    }

    /// Returns the body of the record, and the batch. `previous`: the digest of the outcomes of the previous batch, if they
    /// are known. `skipped`: positions in earlier batches, of failed events that stop the stream no longer.
    pub(super) fn finish(
        self,
        previous: Option<u32>,
        skipped: &[Position],
    ) -> Result<(Vec<u8>, Batch<E>), DurableError> {
        let mut encoder = Encoder::with_buffer(self.scratch.into_bytes());
        encoder.write(&previous)?;
        encoder.write(&position::to_pairs(skipped))?;
        let keys = self.keys.iter().map(|of| (of.index, &*of.key));
        encoder.write(&keys.collect::<Vec<_>>())?;
        encoder.write(&(self.events.len() as u32))?;
        let mut body = encoder.into_bytes();
        body.extend_from_slice(&self.bytes);
        let batch = Batch {
            previous,
            version: <E as Snapshot>::VERSION,
            keys: self.keys,
            events: self.events,
        };
        Ok((body, batch))
    }
}

impl<E> fmt::Debug for BatchWriter<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BatchWriter({})", self.events.len())
    }
}

/// Decodes the body of a record.
pub(super) fn decode<E: DurableEvent>(stored: StoredRecord<'_>) -> Result<Batch<E>, SnapshotError> {
    let version = event_version::<E>(stored.head);
    let body = &*stored.record.body;
    let mut decoder = Decoder::new(body);
    let previous = decoder.read()?;
    let _skipped: Vec<(u64, u32)> = decoder.read()?;
    let key_of: Vec<(u32, &str)> = decoder.read()?;
    let n: u32 = decoder.read()?;
    let (mut keys, mut events) = (Vec::new(), Vec::new());
    let mut key_of = key_of.into_iter().peekable();
    for index in 0..n {
        let before = decoder.n_left();
        events.push(decoder.restore(version)?);
        if let Some((_, key)) = key_of.next_if(|of| of.0 == index) {
            let bytes = &body[body.len() - before..body.len() - decoder.n_left()];
            let (key, digest) = (key.into(), keys::digest(bytes));
            keys.push(BatchKey { index, key, digest });
        }
    }
    decoder.finish()?;
    Ok(Batch {
        previous,
        version,
        keys,
        events,
    })
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
