//! The body of a record in the journal: the events of a batch, and the positions that are skipped from then on.

use core::fmt;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::DurableEvent;
use super::error::DurableError;
use super::keys::{self, BatchKey};
use crate::base::position::{self, Position};
use crate::engine::batches::MAX_OUTSIDE;
use crate::persist::journal::{JournalHead, StoredRecord};
use schedule::internal::{NameChanges, drop_caught};
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotError};

/// The events of the input of a batch.
#[derive(Debug)]
pub(crate) struct Batch<E> {
    /// The digest of the outcomes of an earlier batch, if one is known.
    pub(super) previous: Option<PreviousDigest>,
    /// The version of the events.
    pub(super) version: u32,
    /// The idempotency keys of events, in the order of their indices.
    pub(super) keys: Vec<BatchKey>,
    pub(super) events: Vec<E>,
}

/// The digest of the outcomes of an earlier batch, in the record of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreviousDigest {
    /// The number of the batch minus that of the earlier one, at least 1.
    pub(super) distance: u8,
    pub(super) digest: u32,
}

/// Size in bytes after which a batch ends.
const MAX_BATCH_BYTES: usize = 16 << 20;

/// A batch that begins: its events, also as bytes.
pub(crate) struct BatchWriter<E> {
    events: Vec<E>,
    keys: Vec<BatchKey>,
    /// The keys in `keys`.
    key_set: HashSet<Arc<str>>,
    /// The body: space for the header, and the events.
    body: Encoder,
    /// The length of the body before the event that was encoded last.
    n_before: usize,
    max_event_bytes: usize,
}

/// Size of the header of a body: the distance to the batch of the digest, 0 without a digest (1 byte), the digest, the number of
/// events, and their size in bytes (4 each, little-endian).
const HEADER_BYTES: usize = 13;

impl<E: DurableEvent> BatchWriter<E> {
    /// `buffer`: its memory is used for the body.
    pub(super) fn new(max_event_bytes: usize, buffer: Vec<u8>) -> Self {
        let mut body = Encoder::with_buffer(buffer);
        let reserved = body.write(&[0_u8; HEADER_BYTES]);
        reserved.expect("bytes can be written");
        Self {
            events: Vec::new(),
            keys: Vec::new(),
            key_set: HashSet::new(),
            body,
            n_before: HEADER_BYTES,
            max_event_bytes,
        }
    }

    /// Adds an event.
    ///
    /// # Errors
    ///
    /// Fails if the event cannot be saved or is too large. It is not added then.
    pub(crate) fn push(&mut self, event: E) -> Result<(), DurableError> {
        if let Err(error) = self.encode(&event) {
            // An event may panic when it is dropped.
            drop_caught(event);
            return Err(error);
        }
        self.add(event);
        Ok(())
    }

    /// Encodes an event. [`add`](Self::add) or [`add_keyed`](Self::add_keyed) adds it, [`discard`](Self::discard) does not.
    ///
    /// # Errors
    ///
    /// As for [`push`](Self::push).
    pub(super) fn encode(&mut self, event: &E) -> Result<(), DurableError> {
        self.n_before = self.body.as_bytes().len();
        // The code that saves an event is user code, and may panic.
        let saved = catch_unwind(AssertUnwindSafe(|| self.body.save(event)));
        let n_bytes = self.body.as_bytes().len() - self.n_before;
        let saved = match saved {
            Ok(Ok(())) if n_bytes > self.max_event_bytes => Err(DurableError::EventTooLarge {
                index: self.events.len(),
                n_bytes,
                max_bytes: self.max_event_bytes,
            }),
            Ok(saved) => saved.map_err(DurableError::from),
            Err(panic) => Err(DurableError::panicked(panic)),
        };
        saved.inspect_err(|_| self.discard())
    }

    /// Removes the event that was encoded last.
    pub(super) fn discard(&mut self) {
        self.body.truncate(self.n_before);
    }

    /// Returns the digest of the event that was encoded last.
    pub(super) fn digest(&self) -> u128 {
        keys::digest(&self.body.as_bytes()[self.n_before..])
    }

    /// Adds the event that was encoded last.
    pub(super) fn add(&mut self, event: E) {
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
        let n_expected = events.size_hint().0.min(MAX_OUTSIDE as usize);
        self.events.reserve_exact(n_expected);
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
        self.events.len() >= MAX_OUTSIDE as usize || self.body.as_bytes().len() >= MAX_BATCH_BYTES
    }

    /// Returns the body of the record, and the batch. `previous`: the digest of the outcomes of an earlier batch, if one is
    /// known. `skipped`: positions in earlier batches, of failed events that stop the stream no longer.
    pub(super) fn finish(
        mut self,
        previous: Option<PreviousDigest>,
        skipped: &[Position],
    ) -> Result<(Vec<u8>, Batch<E>), DurableError> {
        let n_bytes = self.body.as_bytes().len() - HEADER_BYTES;
        self.body.write(&position::to_pairs(skipped))?;
        let keys = self.keys.iter().map(|of| (of.index, &*of.key));
        self.body.write(&keys.collect::<Vec<_>>())?;
        let mut body = self.body.into_bytes();
        // The journal refuses a record of more than 4 GiB.
        let header = Parts::header(previous, self.events.len() as u32, n_bytes as u32);
        body[..HEADER_BYTES].copy_from_slice(&header);
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

/// Decodes the body of a record. `changes`: the names that have changed since it was written.
pub(super) fn decode<E: DurableEvent>(
    stored: StoredRecord<'_>,
    changes: &NameChanges,
) -> Result<Batch<E>, SnapshotError> {
    let version = event_version::<E>(stored.head);
    let parts = Parts::of(&stored.record.body)?;
    if parts.n > MAX_OUTSIDE {
        let error = format_args!("the record has {} events, more than {MAX_OUTSIDE}", parts.n);
        return Err(Decoder::new(parts.events).error(error));
    }
    let mut rest = Decoder::new(parts.rest);
    let _skipped: Vec<(u64, u32)> = rest.read()?;
    let key_of: Vec<(u32, &str)> = rest.read()?;
    rest.finish()?;
    let mut decoder = Decoder::new(parts.events);
    let changed = match &stored.head.events {
        Some(schema) => changes.now(schema).changed_variants::<E>(version)?,
        None => Vec::new(),
    };
    let (mut keys, mut events) = (Vec::new(), Vec::new());
    let mut key_of = key_of.into_iter().peekable();
    for index in 0..parts.n {
        let n_left = decoder.n_left();
        check_variant(&decoder, &changed)?;
        events.push(decoder.restore(version)?);
        if let Some((_, key)) = key_of.next_if(|of| of.0 == index) {
            let from = parts.events.len() - n_left;
            let bytes = &parts.events[from..parts.events.len() - decoder.n_left()];
            let (key, digest) = (key.into(), keys::digest(bytes));
            keys.push(BatchKey { index, key, digest });
        }
    }
    if let Some((index, _)) = key_of.next() {
        return Err(decoder.error(format_args!(
            "the idempotency key of event {index} is out of order"
        )));
    }
    decoder.finish()?;
    let previous = parts.previous;
    Ok(Batch {
        previous,
        version,
        keys,
        events,
    })
}

/// Fails if the next value is an event with one of these variants, which have changed.
pub(super) fn check_variant(
    next: &Decoder<'_>,
    changed: &[(u32, SnapshotError)],
) -> Result<(), SnapshotError> {
    if changed.is_empty() {
        return Ok(());
    }
    let variant: u32 = next.clone().read()?;
    match changed.iter().find(|of| of.0 == variant) {
        None => Ok(()),
        Some((_, error)) => Err(error.clone()),
    }
}

/// Returns the version of the events in the records of a program, 0 if it has no such events.
pub(super) fn event_version<E: DurableEvent>(head: &JournalHead) -> u32 {
    let of = head.types.iter().find(|of| of.0 == <E as Snapshot>::NAME);
    of.map_or(0, |of| of.1)
}

/// Decodes the positions that a record skips, without its events.
pub(super) fn decode_skipped(body: &[u8]) -> Result<Vec<Position>, SnapshotError> {
    let mut rest = Decoder::new(Parts::of(body)?.rest);
    rest.read().map(position::from_pairs)
}

/// The parts of a body: a header of fixed size, the events, and the rest. The header is at the beginning, but it is written
/// last, because the size of the events is known only then.
struct Parts<'b> {
    previous: Option<PreviousDigest>,
    /// The number of events.
    n: u32,
    events: &'b [u8],
    /// The skipped positions and the keys.
    rest: &'b [u8],
}

impl<'b> Parts<'b> {
    fn of(body: &'b [u8]) -> Result<Self, SnapshotError> {
        let too_short = || Decoder::new(body).error("the body of the record is too short");
        let (header, content) = body.split_first_chunk().ok_or_else(too_short)?;
        let &[distance, d0, d1, d2, d3, n0, n1, n2, n3, s0, s1, s2, s3]: &[u8; HEADER_BYTES] =
            header;
        let n_bytes = u32::from_le_bytes([s0, s1, s2, s3]) as usize;
        let (events, rest) = content.split_at_checked(n_bytes).ok_or_else(too_short)?;
        Ok(Self {
            previous: (distance != 0).then_some(PreviousDigest {
                distance,
                digest: u32::from_le_bytes([d0, d1, d2, d3]),
            }),
            n: u32::from_le_bytes([n0, n1, n2, n3]),
            events,
            rest,
        })
    }

    /// Returns the header.
    fn header(previous: Option<PreviousDigest>, n: u32, n_bytes: u32) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        if let Some(PreviousDigest { distance, digest }) = previous {
            header[0] = distance;
            header[1..5].copy_from_slice(&digest.to_le_bytes());
        }
        header[5..9].copy_from_slice(&n.to_le_bytes());
        header[9..].copy_from_slice(&n_bytes.to_le_bytes());
        header
    }
}
