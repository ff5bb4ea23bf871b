//! Streams that survive: each batch is in a journal before its outcomes are released, and recovery repeats the batches.
//!
//! A [`Durable`] declares a program: its events, the state that its handlers change, and the constants that they read. It
//! recovers a [`DurableStream`] from a directory, also the first time, when the directory is empty:
//!
//! ```
//! use schedule::prelude::*;
//! use schedule::snapshot::Snapshot;
//! use schedule_stream::durable::Durable;
//! use schedule_stream::prelude::*;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Resource, Snapshot, Serialize, Deserialize, Default)]
//! #[snapshot(name = "sum")]
//! struct Sum(u64);
//!
//! #[derive(Event, Snapshot, Serialize, Deserialize)]
//! #[event(add, answer = u64)]
//! #[snapshot(name = "add")]
//! struct Add(u64);
//!
//! #[handler]
//! fn add(event: &Add, sum: &mut Sum) -> u64 {
//!     sum.0 += event.0;
//!     sum.0
//! }
//!
//! fn counter() -> Durable<Add> {
//!     Durable::new("counter", 1).state::<Sum>()
//! }
//!
//! fn resources() -> Resources {
//!     let mut resources = Resources::new();
//!     resources.insert_default::<Sum>();
//!     resources
//! }
//!
//! # let directory = std::env::temp_dir().join(format!("schedule-stream-doc-{}", std::process::id()));
//! let mut stream = counter().recover(&directory, resources())?;
//! let mut answers = Vec::new();
//! stream.process_batch([Add(2), Add(3)], |outcome| answers.push(outcome.result.unwrap()))?;
//! assert_eq!(answers, [2, 5]);
//! drop(stream);
//!
//! // Later, perhaps after a crash.
//! let stream = counter().recover(&directory, resources())?;
//! assert_eq!(stream.resources().get::<Sum>().unwrap().0, 5);
//! # drop(stream);
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What handlers may depend on
//!
//! A recovery calls the handlers again. So a handler must be a function of its event, of the
//! [`Position`] and [`BatchTime`](crate::BatchTime) of the event, and of its other parameters. A clock,
//! random numbers, the order of a `HashMap`, global variables and interior mutability are not allowed. The journal has
//! a digest of the outcomes of each batch, and recovery fails with [`DurableError::Differs`] at the first batch with other
//! outcomes.

pub(crate) mod batch;
mod digest;
pub(crate) mod end_bytes;
pub(crate) mod engine;
mod error;
pub(crate) mod executor;
pub(crate) mod keys;
mod pending;
mod pipeline;
pub(crate) mod prepared;
mod recovery;
pub(crate) mod remote;
mod state;
pub(crate) mod stream;

use core::fmt;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::error::DurableError;
use self::executor::BatchExecutor;
use self::keys::KeyTable;
pub use self::keys::KeyedEvent;
pub use self::recovery::Recovery;
use self::state::State;
pub use self::stream::DurableStream;
use crate::event::Event;
use crate::journal::{self, Journal, Snapshots, StoredRecord};
use crate::outcome::Outcome;
use crate::position::Position;
use crate::stream::Stream;
use schedule::snapshot::Snapshot;
use schedule::{Resource, Resources};

/// An event that a journal can store, with an answer that can be serialized. Implemented for all events with these
/// traits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an event of a durable stream",
    label = "not a durable event",
    note = "derive `Event`, `Snapshot`, `serde::Serialize` and `serde::Deserialize` for it",
    note = "its answer, `#[event(answer = …)]`, needs `serde::Serialize` and `serde::Deserialize`, and its error needs `Display`"
)]
pub trait DurableEvent:
    Event<Answer: Serialize + DeserializeOwned, Error: fmt::Display> + Snapshot
{
}

#[diagnostic::do_not_recommend]
impl<E> DurableEvent for E where
    E: Event<Answer: Serialize + DeserializeOwned, Error: fmt::Display> + Snapshot
{
}

/// Returns the events of the input in a record of the journal, for example for an audit. Events of an older version are
/// migrated.
///
/// # Errors
///
/// Fails if the record has other events, or if they cannot be restored.
pub fn read_events<E: DurableEvent>(record: StoredRecord<'_>) -> Result<Vec<E>, DurableError> {
    Ok(batch::decode(record)?.events)
}

/// Maximum size of an event in a journal, in bytes, if [`Durable::max_event_bytes`] is not called.
const MAX_EVENT_BYTES: usize = 1 << 20;

/// Maximum length of an idempotency key in bytes.
const MAX_KEY_BYTES: usize = 255;

/// A program whose stream survives: its name and version, and the resources of its handlers.
pub struct Durable<E: DurableEvent> {
    program: String,
    version: u32,
    states: Vec<State>,
    replays_older: bool,
    max_event_bytes: usize,
    outcomes: Option<OutcomesFrom<E>>,
    skips: Vec<Position>,
    keys: Option<KeyTable<E>>,
    set_up: Vec<SetUp<E>>,
    /// `None` if batches run in this process.
    executor: Option<Box<dyn BatchExecutor<E>>>,
}

/// See [`Durable::set_up`].
type SetUp<E> = Box<dyn FnOnce(&mut Stream<E>)>;

/// The first position whose outcome is wanted again, and the function that receives it and all later ones.
struct OutcomesFrom<E: Event> {
    first: Position,
    callback: Box<dyn FnMut(Outcome<E>)>,
}

impl<E: DurableEvent> Durable<E> {
    /// Declares a program. A journal is recovered only by the program with the same name.
    ///
    /// Raise `version` if a handler changes so that its outcomes change, or if a handler or one of its parameters is renamed. The
    /// text of an error is a part of the outcome.
    /// Recovery fails if it would have to replay a batch of another version, unless [`replay_older`](Self::replay_older) is
    /// called.
    pub fn new(program: impl Into<String>, version: u32) -> Self {
        Self {
            program: program.into(),
            version,
            states: Vec::new(),
            replays_older: false,
            max_event_bytes: MAX_EVENT_BYTES,
            outcomes: None,
            skips: Vec::new(),
            keys: None,
            set_up: Vec::new(),
            executor: None,
        }
    }

    /// Declares a resource that is saved in snapshots: a [`Records`](crate::Records), or another resource. All resources
    /// that handlers write must be declared so.
    pub fn state<R: Resource + Snapshot>(mut self) -> Self {
        self.states.push(State::saved::<R>());
        self
    }

    /// Declares a resource that handlers only read, and that never changes. It is not saved. The journal has a digest
    /// of it, and recovery fails if it has changed since a batch that must be replayed.
    pub fn constant<R: Resource + Snapshot>(mut self) -> Self {
        self.states.push(State::constant::<R>());
        self
    }

    /// Sets the maximum size of an event in the journal, in bytes. The default is 1 MiB.
    pub fn max_event_bytes(mut self, max: usize) -> Self {
        self.max_event_bytes = max;
        self
    }

    /// Stores the idempotency keys of the last `n_keys` events that had one, at least 2,048, with their results, as a part of the
    /// state. See [`ServiceHandle::submit_with_key`](crate::service::ServiceHandle::submit_with_key). The default is to store
    /// none.
    ///
    /// Each stored result takes about 150 bytes, plus its key and its serialized answer, in memory and in each snapshot. The message
    /// of a panic is not stored. A snapshot of a program without this call forgets all keys.
    pub fn idempotency_keys(mut self, n_keys: usize) -> Self
    where
        E: KeyedEvent,
    {
        self.keys = Some(KeyTable::new(n_keys));
        self
    }

    /// Replays batches that another version of the program has written. The handlers of this version must have the same
    /// outcomes for them, and older events are read by their [`Snapshot::migrate`]. The constants, the limits and the failure
    /// policy may differ for these batches.
    ///
    /// The safer way to a new version is to drain the stream and to take a snapshot with the old version:
    /// [`DurableStream::drain`], [`DurableStream::snapshot`]. Then no batch is replayed.
    pub fn replay_older(mut self) -> Self {
        self.replays_older = true;
        self
    }

    /// Reports the outcomes of this position and of all later ones again, during recovery. An outcome may have been
    /// reported before, but never with another result for the same position: a batch is reported after its digest is compared.
    /// The journal has no digest of the last batch, if no record follows.
    ///
    /// Recovery uses an older snapshot if necessary. It fails with [`DurableError::TooOld`] if the journal does not go
    /// back far enough.
    pub fn outcomes_from(
        mut self,
        first: Position,
        outcomes: impl FnMut(Outcome<E>) + 'static,
    ) -> Self {
        self.outcomes = Some(OutcomesFrom {
            first,
            callback: Box::new(outcomes),
        });
        self
    }

    /// Continues a stream that [`FailurePolicy::Stop`](schedule::FailurePolicy::Stop) has stopped, after the event at this
    /// position. Its outcome is still the failure. Changes that its handler made before it failed remain, unless the handler is
    /// atomic. The events after it in its batch are processed. [`outcomes_from`](Self::outcomes_from) reports their outcomes.
    ///
    /// The position is recorded in the journal, as a batch without events, so it needs to be skipped only once. If a later
    /// event of the batch fails, the stream is stopped again, and its position can be skipped in the next recovery.
    ///
    /// Recovery fails with [`DurableError::NotStopped`] if no event at this position has stopped the stream. It succeeds if
    /// the position was skipped before.
    pub fn skip(mut self, position: Position) -> Self {
        self.skips.push(position);
        self
    }

    /// Changes settings of the stream before it processes the first event: its pool, processing, limits or failure policy. The
    /// clock is that of [`DurableStream::set_clock`].
    pub fn set_up(mut self, set_up: impl FnOnce(&mut Stream<E>) + 'static) -> Self {
        self.set_up.push(Box::new(set_up));
        self
    }

    /// Opens a journal in a directory, and recovers the state: that of the newest snapshot, and of all batches after it.
    /// Creates the directory, if it does not exist.
    ///
    /// `resources` contains all resources of the handlers, with the values that they have before the first event. These values
    /// are used only in a new directory. Constants are used in every recovery. A resource that the snapshot lacks keeps its value.
    ///
    /// # Errors
    ///
    /// Fails if the directory is in use, if the journal is damaged or belongs to another program or version, if a resource of a
    /// handler is missing or not declared, or if a batch has other outcomes than before.
    ///
    /// # Panics
    ///
    /// Panics if code that restores a value panics, or the function of [`set_up`](Self::set_up) or
    /// [`outcomes_from`](Self::outcomes_from).
    pub fn recover(
        self,
        directory: impl AsRef<Path>,
        resources: Resources,
    ) -> Result<DurableStream<E>, DurableError> {
        let opened = journal::open(directory)?;
        let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
        let mut stream = self.recover_from(journal, snapshots, resources)?;
        stream.recovery_mut().files = opened.recovered;
        Ok(stream)
    }

    /// Recovers as [`recover`](Self::recover), from this journal and these snapshots, for example in memory.
    ///
    /// # Errors
    ///
    /// As for `recover`.
    pub fn recover_from(
        self,
        mut journal: Box<dyn Journal>,
        mut snapshots: Box<dyn Snapshots>,
        resources: Resources,
    ) -> Result<DurableStream<E>, DurableError> {
        let (engine, recovery) =
            recovery::recover(self, &mut *journal, &mut *snapshots, resources)?;
        Ok(DurableStream::new(engine, journal, snapshots, recovery))
    }
}

impl<E: DurableEvent> fmt::Debug for Durable<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Durable")
            .field("program", &self.program)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
