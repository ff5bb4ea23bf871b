//! Idempotency keys: the results of the last events that had one.
//!
//! The table is a part of the state. Its entries follow from the journal: the keys are in the records, and the results are
//! those of the events.

mod shape;

use core::fmt;
use std::collections::{HashMap, VecDeque};
use std::hash::Hasher as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use siphasher::sip128::{Hasher128, SipHasher24};

use super::DurableEvent;
use super::different;
use super::error::DurableError;
use crate::base::position::Position;
use crate::engine::batches::MAX_OUTSIDE;
use crate::program::outcome::{EventError, Outcome};
use schedule::internal::{drop_caught, panic_of};
use schedule::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};

/// An event whose answer and error can be serialized, so that idempotency keys can be used. Implemented for all events with
/// these traits.
#[diagnostic::on_unimplemented(
    message = "events `{Self}` cannot have idempotency keys",
    label = "the error of these events cannot be stored",
    note = "choose an error, `#[event(error = …)]`, that derives `serde::Serialize` and `serde::Deserialize`"
)]
pub trait KeyedEvent: DurableEvent<Error: Serialize + DeserializeOwned> {}

#[diagnostic::do_not_recommend]
impl<E> KeyedEvent for E where E: DurableEvent<Error: Serialize + DeserializeOwned> {}

/// The message of a panic of an event whose result was stored.
const UNKNOWN_MESSAGE: &str = "the message of the panic is not stored";

/// The key of an event in a batch.
#[derive(Debug)]
pub(crate) struct BatchKey {
    /// The index of the event in the batch.
    pub(super) index: u32,
    pub(super) key: Arc<str>,
    /// The digest of the bytes of the event.
    pub(super) digest: u128,
}

/// Returns the digest of the bytes of an event. It does not change between releases.
pub(super) fn digest(bytes: &[u8]) -> u128 {
    let mut hasher = SipHasher24::new();
    hasher.write(bytes);
    hasher.finish128().as_u128()
}

/// Writes and reads the errors of handlers.
struct ErrorFormat<E: DurableEvent> {
    write: fn(&E::Error, &mut Encoder) -> Result<(), SnapshotError>,
    read: fn(&[u8]) -> shape::Read<'_, E::Error>,
}

/// The result of an event with a key.
#[derive(Clone, Debug)]
struct KeyedResult {
    position: Position,
    /// The version of the event.
    version: u32,
    /// The digest of the bytes of the event.
    digest: u128,
    /// `None` if the answer could not be serialized, and read again.
    result: Option<StoredResult>,
}

/// A result as bytes.
#[derive(Clone, Debug)]
struct StoredResult {
    bytes: Box<[u8]>,
    /// The digest of the [shape](shape::read) of the answer. `None` if an older release has stored the result.
    shape: Option<u64>,
}

impl StoredResult {
    fn new(bytes: Vec<u8>, shape: Option<u64>) -> Self {
        Self {
            bytes: bytes.into_boxed_slice(),
            shape,
        }
    }
}

/// The results of the last events with a key.
pub(crate) struct KeyTable<E: DurableEvent> {
    capacity: usize,
    errors: ErrorFormat<E>,
    by_key: HashMap<Arc<str>, KeyedResult>,
    /// The keys, the oldest first. An entry with another position than that in `by_key` is obsolete.
    order: VecDeque<(Arc<str>, Position)>,
    scratch: Encoder,
}

impl<E: KeyedEvent> KeyTable<E> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            // The repeats of a batch must find all its keys.
            capacity: capacity.max(MAX_OUTSIDE as usize),
            errors: ErrorFormat {
                write: |error, to| to.write(error),
                read: |bytes| shape::read(bytes),
            },
            by_key: HashMap::new(),
            order: VecDeque::new(),
            scratch: Encoder::new(),
        }
    }
}

impl<E: DurableEvent> KeyTable<E> {
    /// Stores the result of an event whose handler was called, or of a dead letter. A refused event has changed nothing, so its key is not stored.
    pub(super) fn add(&mut self, of: &BatchKey, version: u32, outcome: &Outcome<E>) {
        let has_run = match &outcome.result {
            Ok(_) => true,
            // A repeat would end the process, too.
            Err(EventError::DeadLetter) => true,
            Err(error) => error.has_run(),
        };
        if !has_run {
            return;
        }
        self.scratch.clear();
        // The code that serializes a result and reads it is user code, and may panic.
        let (errors, scratch) = (&self.errors, &mut self.scratch);
        let shape = catch_unwind(AssertUnwindSafe(|| {
            write(errors, &outcome.result, scratch).ok()?;
            read(errors, scratch.as_bytes()).map(|(_, shape)| shape)
        }));
        let result = shape.ok().flatten().map(|shape| StoredResult {
            bytes: self.scratch.as_bytes().into(),
            shape: Some(shape),
        });
        let keyed = KeyedResult {
            position: outcome.position,
            version,
            digest: of.digest,
            result,
        };
        self.insert(Arc::clone(&of.key), keyed);
    }

    fn insert(&mut self, key: Arc<str>, keyed: KeyedResult) {
        self.order.push_back((Arc::clone(&key), keyed.position));
        self.by_key.insert(key, keyed);
        while self.by_key.len() > self.capacity
            && let Some((key, position)) = self.order.pop_front()
        {
            if self
                .by_key
                .get(&key)
                .is_some_and(|keyed| keyed.position == position)
            {
                self.by_key.remove(&key);
            }
        }
    }

    /// Returns the position and the result of the event with this key, `None` if it is unknown.
    ///
    /// # Errors
    ///
    /// Fails if the key belongs to another event, or if the result is unknown, or is one of other types.
    pub(super) fn find(
        &self,
        key: &str,
        digest: u128,
    ) -> Result<Option<(Position, EventResult<E>)>, DurableError> {
        let Some(keyed) = self.by_key.get(key) else {
            return Ok(None);
        };
        let position = keyed.position;
        // The bytes of different versions cannot be compared.
        if keyed.version == <E as Snapshot>::VERSION && keyed.digest != digest {
            return Err(DurableError::KeyReused { position });
        }
        let stored = keyed
            .result
            .as_ref()
            .ok_or(DurableError::UnknownAnswer { position })?;
        let read = catch_unwind(AssertUnwindSafe(|| read(&self.errors, &stored.bytes)));
        let unreadable = || DurableError::UnreadableAnswer { position };
        let (result, shape) = read.ok().flatten().ok_or_else(unreadable)?;
        if stored.shape.is_some_and(|stored| stored != shape) {
            // An answer may panic when it is dropped.
            drop_caught(result);
            return Err(unreadable());
        }
        Ok(Some((position, result)))
    }
}

/// See [`Outcome::result`].
pub type EventResult<E> =
    Result<<E as crate::Event>::Answer, EventError<<E as crate::Event>::Error>>;

fn write<E: DurableEvent>(
    errors: &ErrorFormat<E>,
    result: &EventResult<E>,
    to: &mut Encoder,
) -> Result<(), SnapshotError> {
    match result {
        Ok(answer) => {
            to.write(&0_u8)?;
            to.write(answer)
        }
        Err(EventError::Failed(error)) => {
            to.write(&1_u8)?;
            (errors.write)(error, to)
        }
        // The message may contain addresses, so it can differ after a recovery.
        Err(EventError::Panicked(_)) => to.write(&2_u8),
        Err(EventError::TooManyFollowUps { max }) => to.write(&(3_u8, max)),
        Err(EventError::FollowUpsTooDeep { max }) => to.write(&(4_u8, max)),
        Err(EventError::DeadLetter) => to.write(&5_u8),
        Err(_) => unreachable!("the handler was called"),
    }
}

/// Returns a result with the digest of the shape of its answer or error, or `None` if the bytes are not such a result.
fn read<E: DurableEvent>(errors: &ErrorFormat<E>, bytes: &[u8]) -> Option<(EventResult<E>, u64)> {
    let (kind, bytes) = bytes.split_first()?;
    let (result, shape, rest) = match kind {
        0 => {
            let (answer, shape, rest) = shape::read(bytes).ok()?;
            (Ok(answer), shape, rest)
        }
        1 => {
            let (error, shape, rest) = (errors.read)(bytes).ok()?;
            (Err(EventError::Failed(error)), shape, rest)
        }
        2 => {
            let panic = panic_of(Box::new(UNKNOWN_MESSAGE));
            (Err(EventError::Panicked(Box::new(panic))), 0, bytes)
        }
        3 | 4 => {
            let (max, rest) = postcard::take_from_bytes(bytes).ok()?;
            let error = match kind {
                3 => EventError::TooManyFollowUps { max },
                _ => EventError::FollowUpsTooDeep { max },
            };
            (Err(error), 0, rest)
        }
        5 => (Err(EventError::DeadLetter), 0, bytes),
        _ => return None,
    };
    rest.is_empty().then_some((result, shape))
}

/// The content of a table, in a snapshot.
#[derive(Debug)]
pub(super) struct KeySection(Vec<(Arc<str>, KeyedResult)>);

impl<E: DurableEvent> KeyTable<E> {
    pub(super) fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Returns the content, the oldest key first.
    pub(super) fn section(&self) -> KeySection {
        let current = self.order.iter().filter_map(|(key, position)| {
            let keyed = self.by_key.get(key)?;
            (keyed.position == *position).then(|| (Arc::clone(key), keyed.clone()))
        });
        KeySection(current.collect())
    }

    /// Returns the result of the event at this position as text, if a snapshot section has it.
    pub(super) fn text_of(&self, section: &KeySection, position: Position) -> Option<String> {
        let mut all = section.0.iter();
        let (_, keyed) = all.find(|(_, keyed)| keyed.position == position)?;
        let stored = keyed.result.as_ref()?;
        let text = catch_unwind(AssertUnwindSafe(|| {
            let (result, shape) = read(&self.errors, &stored.bytes)?;
            let is_same = stored.shape.is_none_or(|stored| stored == shape);
            is_same.then(|| different::result_text::<E>(&result))
        }));
        text.ok().flatten()
    }

    /// Replaces the content.
    ///
    /// Older releases have stored no shapes. Such results are read as if the types had not changed.
    pub(super) fn restore(&mut self, section: KeySection) {
        self.by_key.clear();
        self.order.clear();
        for (key, keyed) in section.0 {
            self.insert(key, keyed);
        }
    }
}

impl Snapshot for KeySection {
    const NAME: &'static str = "schedule-stream.keys";
    const VERSION: u32 = 2;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&(self.0.len() as u64))?;
        self.0.iter().try_for_each(|(key, keyed)| {
            let Position { batch, index } = keyed.position;
            to.write(&(&**key, batch, index, keyed.version, keyed.digest))?;
            let result = keyed.result.as_ref();
            to.write(&result.map(|stored| (&*stored.bytes, stored.shape)))
        })
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        Self::read_all(from, |from| {
            let result: Option<(Vec<u8>, Option<u64>)> = from.read()?;
            Ok(result.map(|(bytes, shape)| StoredResult::new(bytes, shape)))
        })
    }

    /// Each result has the digest of the schema of its own.
    fn schema() -> Schema {
        Schema::unknown()
    }

    fn migrate(_: u32, from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        Self::read_all(from, |from| {
            let result: Option<Vec<u8>> = from.read()?;
            Ok(result.map(|bytes| StoredResult::new(bytes, None)))
        })
    }
}

impl KeySection {
    /// Returns whether an older release has stored one of the results.
    pub(super) fn has_unknown_shapes(&self) -> bool {
        let mut results = self.0.iter().filter_map(|(_, keyed)| keyed.result.as_ref());
        results.any(|stored| stored.shape.is_none())
    }

    /// `read`: reads a result.
    fn read_all(
        from: &mut Decoder<'_>,
        read: impl Fn(&mut Decoder<'_>) -> Result<Option<StoredResult>, SnapshotError>,
    ) -> Result<Self, SnapshotError> {
        let n: u64 = from.read()?;
        let one = |_| {
            let (key, batch, index, version, digest) = from.read::<(&str, _, _, _, _)>()?;
            let result = read(from)?;
            let keyed = KeyedResult {
                position: Position::new(batch, index),
                version,
                digest,
                result,
            };
            Ok((key.into(), keyed))
        };
        (0..n).map(one).collect::<Result<_, _>>().map(Self)
    }
}

impl<E: DurableEvent> fmt::Debug for KeyTable<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyTable")
            .field("capacity", &self.capacity)
            .field("len", &self.by_key.len())
            .finish_non_exhaustive()
    }
}
