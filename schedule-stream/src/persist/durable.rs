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
//! a digest of each outcome. Recovery fails with [`DurableError::Differs`] at the first outcome that differs, and the error names
//! its position and handler. The handler that made the difference may be an earlier one, which has changed only the state.
//!
//! - [`check_deterministic`](crate::testing::check_deterministic) finds such handlers in a test.
//! - [`Durable::compare`] compares two snapshots, also of a running service. So it finds a difference that only the state shows.
//! - [`Durable::accept_new_outcomes_from`] is the way on, after the handler was repaired.
//!
//! # Events that end the process
//!
//! A handler may abort the process, overflow the stack, take all memory, or never return. Recovery calls it again, and the next process
//! ends, too. So a stream marks each batch before it applies it, in a file that is not synced. After the end of the process, recovery
//! applies the marked batch one by one. An event that has ended two processes, while only this event was applied, becomes a *dead
//! letter*: its handler is not called again, its outcome is [`EventError::DeadLetter`](crate::EventError::DeadLetter), and the stream
//! continues. The decision is in the journal, so every later recovery has the same outcome. To retry it, submit a new event.
//!
//! - [`DurableStream::dead_letters`] and [`ServiceHandle::dead_letters`](crate::service::ServiceHandle::dead_letters) list the dead
//!   letters, and so does the command `schedule-stream inspect`.
//! - After three new ones in a row, recovery fails once. [`Durable::max_dead_letters`] sets this number. With 0, recovery fails in place
//!   of dead letters.
//! - An event whose outcome may have been released is never a dead letter: recovery fails with [`DurableError::EndsProcess`].
//! - A process that is killed from outside also counts, if it was killed while it applied only this event.
//! - In a cluster, an event that ends worker processes becomes a dead letter while the cluster runs.
//! - A journal in memory has no mark, unless [`MemoryJournal::set_mark`](crate::journal::MemoryJournal::set_mark) is called.
//! - On Linux, a restart of the machine makes the mark void.

pub(crate) mod batch;
pub(crate) mod comparison;
pub(crate) mod dead_letters;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod determinism;
mod different;
mod digest;
pub(crate) mod digested_journal;
pub(crate) mod end_bytes;
pub(crate) mod engine;
mod error;
pub(crate) mod executor;
mod history;
pub(crate) mod keys;
mod mark;
mod outcome_digests;
mod pending;
mod pipeline;
pub(crate) mod prepared;
mod read_only;
mod recovery;
mod released;
pub(crate) mod remote;
mod replayed;
mod state;
pub(crate) mod stream;
mod text;
mod watchdog;

use core::fmt;
use core::time::Duration;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::comparison::Comparison;
pub use self::dead_letters::DeadLetter;
pub use self::different::DifferentOutcome;
use self::digested_journal::DigestedJournal;
pub use self::error::DurableError;
use self::executor::BatchExecutor;
pub use self::history::Rewritten;
use self::keys::KeyTable;
pub use self::keys::KeyedEvent;
pub use self::recovery::Recovery;
use self::state::State;
pub use self::stream::DurableStream;
use crate::base::position::Position;
use crate::engine::stream::Stream;
use crate::persist::journal::{
    self, Disk, EntryKind, Journal, JournalView, Snapshots, StoredRecord,
};
use crate::program::event::Event;
use crate::program::outcome::Outcome;
use schedule::internal::NameChanges;
use schedule::snapshot::Snapshot;
use schedule::{Resource, Resources};

/// An event that a journal can store, with an answer that can be serialized. Implemented for all events with these
/// traits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an event of a durable stream",
    label = "not a durable event",
    note = "add `#[derive(Event, Snapshot, serde::Serialize, serde::Deserialize)]` and `#[snapshot(name = \"…\")]` to it",
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
/// migrated. An entry that is not a batch has none.
///
/// # Errors
///
/// Fails if the record has other events, or if they cannot be restored.
pub fn read_events<E: DurableEvent>(record: StoredRecord<'_>) -> Result<Vec<E>, DurableError> {
    match record.record.kind {
        EntryKind::BATCH => Ok(batch::decode(record, &NameChanges::default())?.events),
        _ => Ok(Vec::new()),
    }
}

/// Maximum size of an event in a journal, in bytes, if [`Durable::max_event_bytes`] is not called.
const MAX_EVENT_BYTES: usize = 1 << 20;

/// Number of new dead letters in a row after which recovery fails, if [`Durable::max_dead_letters`] is not called.
const MAX_DEAD_LETTERS: u32 = 3;

/// Maximum length of an idempotency key in bytes.
const MAX_KEY_BYTES: usize = 255;

/// A program whose stream survives: its name and version, and the resources of its handlers.
pub struct Durable<E: DurableEvent> {
    program: String,
    version: u32,
    states: Vec<State>,
    /// The calls of [`renamed`](Self::renamed) and [`dropped`](Self::dropped).
    changes: NameChanges,
    replays_older: bool,
    max_event_bytes: usize,
    outcomes: Option<OutcomesFrom<E>>,
    /// The history of the reader of `outcomes`.
    read_history: Option<u64>,
    accepts_from: Option<u64>,
    skips: Vec<Position>,
    max_dead_letters: u32,
    max_handler_time: Option<Duration>,
    keys: Option<KeyTable<E>>,
    has_outcome_digests: bool,
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
            changes: NameChanges::default(),
            replays_older: false,
            max_event_bytes: MAX_EVENT_BYTES,
            outcomes: None,
            read_history: None,
            accepts_from: None,
            skips: Vec::new(),
            max_dead_letters: MAX_DEAD_LETTERS,
            max_handler_time: None,
            keys: None,
            has_outcome_digests: true,
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
    /// of it, and recovery fails with [`DurableError::ConstantChanged`] if it has changed since a batch that must be replayed. To replay
    /// these batches with the new value, raise the version of the program, and call [`replay_older`](Self::replay_older).
    pub fn constant<R: Resource + Snapshot>(mut self) -> Self {
        self.states.push(State::constant::<R>());
        self
    }

    /// Restores the saved value with the name `from` as the state with the name `to`, for a type whose name in snapshots has changed:
    /// with `renamed("account", "konto")`, `records<account>` is restored as `records<konto>`. The call can be removed when no snapshot
    /// with the old name is left.
    ///
    /// The name of the events cannot change.
    pub fn renamed(mut self, from: &str, to: &str) -> Self {
        self.changes.rename(from, to);
        self
    }

    /// Declares that a saved value is not wanted any more, for a type that the program no longer has: `dropped("account")` drops
    /// `account` and `records<account>`. Without this call, recovery fails if a snapshot has values that the program does not restore.
    /// It also decides which value is restored if two have the same name after calls of [`renamed`](Self::renamed).
    ///
    /// The next snapshots do not have the value.
    pub fn dropped(mut self, name: &str) -> Self {
        self.changes.drop(name);
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
    /// Each stored result takes about 170 bytes, plus its key and its serialized answer, in memory and in each snapshot. The message
    /// of a panic is not stored. A program without this call refuses a snapshot with keys, unless it calls
    /// `dropped("schedule-stream.keys")`.
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

    /// Reports the outcomes of this position and of all later ones again, during recovery. A result that was reported before is the
    /// same, because a batch is reported after its digests are compared. Two cases are exceptions: a new
    /// [history](DurableStream::history), and the last batch after a crash, of which the journal has no digests.
    ///
    /// Recovery uses an older snapshot if necessary. It fails with [`DurableError::TooOld`] if the journal does not go back far enough.
    /// Older segments and snapshots from a backup of the directory can be copied back.
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

    /// Sets the [history](DurableStream::history) in which the reader of [`outcomes_from`](Self::outcomes_from) has read the outcomes
    /// before its first position. Recovery fails with [`DurableError::Rewritten`] if some of them were replaced since then. No
    /// outcome is reported before. The default is not to check.
    pub fn read_history(mut self, history: u64) -> Self {
        self.read_history = Some(history);
        self
    }

    /// Accepts other outcomes than before from this batch on, if recovery replays it. Without this call, recovery fails with
    /// [`DurableError::Differs`], for example after a repair of a handler that was not deterministic.
    ///
    /// If an outcome differs, a new [history](DurableStream::history) begins with its batch. The journal has its number before an
    /// outcome is reported or an event is accepted. Then a snapshot is taken, unless the stream has stopped. Clients may have the
    /// earlier outcomes: a reader finds the batch by [`read_history`](Self::read_history) or [`DurableStream::rewritten_since`].
    /// Stored answers of idempotency keys are the new ones. Later recoveries need not make this call.
    ///
    /// Outcomes of batches in a snapshot are not replaced, because its state results from the earlier ones. If outcomes before or in
    /// the newest snapshot differ, recovery fails, also with this call. It also fails if an event stops the stream that did not stop
    /// it before, with [`DurableError::Stopped`]: [`skip`](Self::skip) skips it.
    pub fn accept_new_outcomes_from(mut self, batch: u64) -> Self {
        self.accepts_from = Some(batch);
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

    /// Sets whether the journal has a digest of each outcome, of 4 bytes. The default is `true`. Without them, it has only a digest
    /// of each batch, and [`DurableError::Differs`] names the batch, but no position.
    pub fn outcome_digests(mut self, has_digests: bool) -> Self {
        self.has_outcome_digests = has_digests;
        self
    }

    /// Sets the number of new [dead letters](self#events-that-end-the-process) in a row after which recovery fails with
    /// [`DurableError::DeadLetters`]. The default is 3. They are in a row if no batch was accepted between them.
    ///
    /// With 0, no event becomes a dead letter: recovery fails with [`DurableError::EndsProcess`], which names the event.
    pub fn max_dead_letters(mut self, max: u32) -> Self {
        self.max_dead_letters = max;
        self
    }

    /// Sets the maximum processor time of a handler. The default is none.
    ///
    /// A handler above it, for example in an endless loop, aborts the process while recovery applies events one by one, and its event
    /// may become a [dead letter](self#events-that-end-the-process). At all other times, it is only a warning: with the feature
    /// `tracing`, an event of level `WARN` that names the position. To end an endless loop then, end the process.
    ///
    /// The time counts only while the thread runs on a processor, so a handler that waits, or a process that is paused, does not
    /// reach it. If handlers run on several threads, the warning depends on the time of the thread that applies the batch. Only on
    /// Linux, with the file system `/proc`.
    pub fn max_handler_time(mut self, max: Duration) -> Self {
        self.max_handler_time = Some(max);
        self
    }

    /// Changes settings of the stream before it processes the first event: its pool, processing, limits or failure policy. The
    /// clock is that of [`DurableStream::set_clock`].
    pub fn set_up(mut self, set_up: impl FnOnce(&mut Stream<E>) + 'static) -> Self {
        self.set_up.push(Box::new(set_up));
        self
    }

    /// Compares the state of the newest snapshot in a directory with that of a replay from the one before. So it finds a handler that
    /// is not deterministic, also if only the state shows it. The directory may be in use, and nothing is changed. Returns `None` if
    /// fewer than two snapshots are whole.
    ///
    /// `resources`: as for [`recover`](Self::recover).
    ///
    /// The command `schedule-stream` does not know the handlers of a program, so a program that can compare has a command of its own:
    ///
    /// ```
    /// # use schedule::prelude::*;
    /// # use schedule::snapshot::Snapshot;
    /// # use schedule_stream::durable::{Durable, DurableError};
    /// # use schedule_stream::prelude::*;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
    /// # #[snapshot(name = "sum")]
    /// # struct Sum(u64);
    /// # #[derive(Event, Snapshot, Serialize, Deserialize)]
    /// # #[event(add, answer = u64)]
    /// # #[snapshot(name = "add")]
    /// # struct Add(u64);
    /// # #[handler]
    /// # fn add(event: &Add, sum: &mut Sum) -> u64 {
    /// #     sum.0 += event.0;
    /// #     sum.0
    /// # }
    /// # fn counter() -> Durable<Add> {
    /// #     Durable::new("counter", 1).state::<Sum>()
    /// # }
    /// # fn resources() -> Resources {
    /// #     let mut resources = Resources::new();
    /// #     resources.insert_default::<Sum>();
    /// #     resources
    /// # }
    /// /// `counter compare DIR`
    /// fn compare(directory: &str) -> Result<bool, DurableError> {
    ///     let Some(comparison) = counter().compare(directory, resources())? else {
    ///         println!("there are no two snapshots");
    ///         return Ok(true);
    ///     };
    ///     println!("{comparison}");
    ///     Ok(comparison.is_equal())
    /// }
    ///
    /// # let directory = std::env::temp_dir().join(format!("schedule-stream-compare-{}", std::process::id()));
    /// let mut stream = counter().recover(&directory, resources())?;
    /// stream.process_batch([Add(2)], drop)?;
    /// stream.snapshot()?;
    /// assert!(compare(directory.to_str().unwrap())?);
    /// # drop(stream);
    /// # std::fs::remove_dir_all(&directory)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with [`DurableError::Differs`] if an outcome differs, with [`DurableError::NotComparable`] if the program that has the
    /// directory open removes batches between the snapshots meanwhile, and otherwise as `recover`. With
    /// [`DurableError::ClusterNotComparable`] for a cluster.
    ///
    /// # Panics
    ///
    /// As `recover`.
    pub fn compare(
        self,
        directory: impl AsRef<Path>,
        resources: Resources,
    ) -> Result<Option<Comparison>, DurableError> {
        self.compare_on(&JournalView::open(directory)?, resources)
    }

    /// Compares as [`compare`](Self::compare), on another disk.
    ///
    /// # Errors
    ///
    /// As for `compare`.
    pub fn compare_on<D: Disk>(
        self,
        files: &JournalView<D>,
        resources: Resources,
    ) -> Result<Option<Comparison>, DurableError> {
        comparison::compare(self, files, resources)
    }

    /// Opens a journal in a directory, and recovers the state: that of the newest snapshot, and of all batches after it.
    /// Creates the directory, if it does not exist.
    ///
    /// `resources` contains all resources of the handlers, with the values that they have before the first event. These values
    /// are used only in a new directory. Constants are used in every recovery. A resource that the snapshot lacks keeps its value. A
    /// value of the snapshot that no resource wants is an error, unless it is [`dropped`](Self::dropped).
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
        let (engine, recovery, digests) =
            recovery::recover(self, &mut *journal, &mut *snapshots, resources)?;
        let journal = DigestedJournal::new(journal, digests);
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
