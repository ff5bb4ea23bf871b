//! Idempotency keys: the results of the last events that had one.
//!
//! The table is a part of the state. Its entries follow from the journal: the keys are in the records, and the results are
//! those of the events.

use core::fmt;
use std::collections::{HashMap, VecDeque};
use std::hash::Hasher as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use siphasher::sip128::{Hasher128, SipHasher24};

use super::DurableEvent;
use super::error::DurableError;
use crate::batches::MAX_OUTSIDE;
use crate::outcome::{EventError, Outcome};
use crate::position::Position;
use schedule::internal::panic_of;
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotError};

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
    read: fn(&mut Decoder<'_>) -> Result<E::Error, SnapshotError>,
}

/// The result of an event with a key.
#[derive(Clone, Debug)]
struct KeyedResult {
    position: Position,
    /// The version of the event.
    version: u32,
    /// The digest of the bytes of the event.
    digest: u128,
    /// `None` if the answer could not be serialized.
    result: Option<Box<[u8]>>,
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
                read: |from| from.read(),
            },
            by_key: HashMap::new(),
            order: VecDeque::new(),
            scratch: Encoder::new(),
        }
    }
}

impl<E: DurableEvent> KeyTable<E> {
    /// Stores the result of an event whose handler was called. A refused event has changed nothing, so its key is not stored.
    pub(super) fn add(&mut self, of: &BatchKey, version: u32, outcome: &Outcome<E>) {
        let has_run = match &outcome.result {
            Ok(_) => true,
            Err(error) => error.has_run(),
        };
        if !has_run {
            return;
        }
        self.scratch.clear();
        // The code that serializes a result is user code, and may panic.
        let (errors, scratch) = (&self.errors, &mut self.scratch);
        let written = catch_unwind(AssertUnwindSafe(|| write(errors, &outcome.result, scratch)));
        let result = match written {
            Ok(Ok(())) => Some(self.scratch.as_bytes().into()),
            Ok(Err(_)) | Err(_) => None,
        };
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
    /// Fails if the key belongs to another event, or if the result cannot be restored.
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
        let bytes = keyed.result.as_ref();
        let bytes = bytes.ok_or(DurableError::UnknownAnswer { position })?;
        let read = catch_unwind(AssertUnwindSafe(|| read(&self.errors, bytes)));
        let result =
            read.unwrap_or_else(|_| Err(Decoder::new(bytes).error("`Deserialize` panicked")))?;
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
        Err(_) => unreachable!("the handler was called"),
    }
}

fn read<E: DurableEvent>(
    errors: &ErrorFormat<E>,
    bytes: &[u8],
) -> Result<EventResult<E>, SnapshotError> {
    let mut decoder = Decoder::new(bytes);
    let kind: u8 = decoder.read()?;
    let result = match kind {
        0 => Ok(decoder.read()?),
        1 => Err(EventError::Failed((errors.read)(&mut decoder)?)),
        2 => Err(EventError::Panicked(Box::new(panic_of(Box::new(
            UNKNOWN_MESSAGE,
        ))))),
        other => return Err(decoder.error(format_args!("the kind of the result is {other}"))),
    };
    decoder.finish()?;
    Ok(result)
}

/// The content of a table, in a snapshot.
#[derive(Debug)]
pub(super) struct KeySection(Vec<(Arc<str>, KeyedResult)>);

impl<E: DurableEvent> KeyTable<E> {
    /// Returns the content, the oldest key first.
    pub(super) fn section(&self) -> KeySection {
        let current = self.order.iter().filter_map(|(key, position)| {
            let keyed = self.by_key.get(key)?;
            (keyed.position == *position).then(|| (Arc::clone(key), keyed.clone()))
        });
        KeySection(current.collect())
    }

    /// Replaces the content.
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
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&(self.0.len() as u64))?;
        self.0.iter().try_for_each(|(key, keyed)| {
            let Position { batch, index } = keyed.position;
            to.write(&(&**key, batch, index, keyed.version, keyed.digest))?;
            to.write(&keyed.result.as_deref())
        })
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let n: u64 = from.read()?;
        let one = |_| {
            let (key, batch, index, version, digest) = from.read::<(&str, _, _, _, _)>()?;
            let result: Option<Vec<u8>> = from.read()?;
            let keyed = KeyedResult {
                position: Position::new(batch, index),
                version,
                digest,
                result: result.map(Vec::into_boxed_slice),
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
