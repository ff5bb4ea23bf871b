//! Errors of durable streams.

use core::fmt;

use super::MAX_KEY_BYTES;
use super::dead_letters::DeadLetter;
use super::different::DifferentOutcome;
use super::history::Rewritten;
use crate::base::position::Position;
use crate::engine::stream::StreamError;
use crate::persist::journal::JournalError;
use schedule::BoxError;
use schedule::identity::Name;
use schedule::internal::{Payload, panic_of};
use schedule::snapshot::SnapshotError;

/// The reason why a durable stream could not be recovered, or did not accept a batch.
#[derive(Debug)]
#[non_exhaustive]
pub enum DurableError {
    /// The journal or a snapshot cannot be read or written.
    Journal(JournalError),
    /// An event or a resource cannot be saved or restored.
    Snapshot(SnapshotError),
    /// A resource of a handler is missing.
    Stream(StreamError),
    /// These resources of handlers are not declared as state or as constants. Each has whether a handler writes it.
    Undeclared(Vec<(Name, bool)>),
    /// These resources are declared, but missing.
    Missing(Vec<Name>),
    /// Two declared resources have the same name in snapshots, or one resource was declared twice.
    Duplicate {
        /// The name.
        name: &'static str,
    },
    /// The journal belongs to another program.
    OtherProgram {
        /// The name of the program that wrote the journal.
        found: String,
        /// The name of this program.
        expected: String,
    },
    /// Another version of the program, or of its events, wrote batches that would be replayed, or pending follow-up events.
    OtherVersion {
        /// The first of the batches. `None` for pending follow-up events.
        batch: Option<u64>,
        /// `program`, or the name of the type.
        of: String,
        /// The version that wrote them.
        found: u32,
        /// The version of this program.
        expected: u32,
    },
    /// A constant, the limits or the failure policy of the stream have changed since a batch that would be replayed, and the version of the
    /// program has not.
    ConstantChanged {
        /// The batch.
        batch: u64,
    },
    /// A batch has other outcomes than before.
    Differs {
        /// The number of the batch.
        batch: u64,
        /// The first outcome that differs. `None` if the journal has only a digest of the whole batch.
        outcome: Option<Box<DifferentOutcome>>,
    },
    /// The reader of [`Durable::read_history`](super::Durable::read_history) has outcomes that were replaced since then. It must
    /// read again from that batch on.
    Rewritten(Rewritten),
    /// The journal does not continue the newest snapshot.
    Gap {
        /// The batch of the snapshot.
        snapshot: u64,
        /// The first batch of the journal.
        first: u64,
    },
    /// The journal does not have all batches between the two snapshots of a [comparison](super::Durable::compare). An open stream removes
    /// them when it has taken further snapshots.
    NotComparable {
        /// The batch of the older snapshot.
        older: u64,
        /// The batch of the newer snapshot.
        newer: u64,
    },
    /// The snapshots of a cluster cannot be [compared](super::Durable::compare).
    ClusterNotComparable,
    /// The journal has batches, but no snapshot that can be read.
    NoSnapshot {
        /// The first batch of the journal.
        first: u64,
    },
    /// Outcomes were requested from a position that is older than the journal.
    TooOld {
        /// The position.
        position: Position,
        /// The first position whose outcome can be reported again.
        first: Position,
    },
    /// An event is larger than the maximum. With [`DurableStream`](super::DurableStream), no event of the batch was accepted.
    EventTooLarge {
        /// The index of the event in the batch.
        index: usize,
        /// Its size in bytes.
        n_bytes: usize,
        /// The maximum.
        max_bytes: usize,
    },
    /// An event failed, and the failure policy is `Stop`.
    Stopped {
        /// The position of the event.
        position: Position,
    },
    /// The stream has stopped after a batch, because more follow-up events wait than
    /// [`EventLimits::max_pending`](crate::EventLimits::max_pending) allows. No event is lost.
    Backlog {
        /// The number of the batch.
        batch: u64,
        /// The number of follow-up events that wait.
        n_pending: usize,
        /// The maximum.
        max: u32,
    },
    /// An idempotency key was used, but the program does not call [`Durable::idempotency_keys`](super::Durable::idempotency_keys).
    KeysUnused,
    /// An idempotency key is empty or too long.
    InvalidKey {
        /// Its length in bytes.
        n_bytes: usize,
    },
    /// An idempotency key was used for another event before.
    KeyReused {
        /// The position of the other event.
        position: Position,
    },
    /// The event with this idempotency key was applied before, but its answer could not be serialized, and read again.
    UnknownAnswer {
        /// The position of the event.
        position: Position,
    },
    /// The event with this idempotency key was applied before, but this program cannot read its answer: the type of the answer or
    /// of the error has changed since then.
    UnreadableAnswer {
        /// The position of the event.
        position: Position,
    },
    /// The event that [`Durable::skip`](super::Durable::skip) names has not stopped the stream.
    NotStopped {
        /// The position of the event.
        position: Position,
        /// The position of the event that has stopped the stream, if one has.
        stopped: Option<Position>,
    },
    /// Processes have ended each time that they applied an event, and it does not become a dead letter. The next recovery tries it
    /// again.
    EndsProcess {
        /// The event.
        letter: DeadLetter,
        /// Whether a program may have released its outcome before, so that it must have the same outcome again. Otherwise
        /// [`Durable::max_dead_letters`](super::Durable::max_dead_letters) does not allow dead letters.
        may_be_released: bool,
    },
    /// Too many events became dead letters in a row: see
    /// [`Durable::max_dead_letters`](super::Durable::max_dead_letters).
    DeadLetters {
        /// The events, the oldest decision first. If there are more than the maximum, the last one has not become a dead letter.
        all: Vec<DeadLetter>,
        /// The maximum.
        max: u32,
    },
    /// The code that saves an event or a resource panicked. Contains the message.
    Panicked(String),
    /// The processes that run the batches of the stream have failed, and could not be started again.
    Executor(BoxError),
    /// The snapshot was written by a cluster of processes, and is restored by one process, or the other way round.
    OtherProcesses {
        /// Whether a cluster wrote it.
        is_cluster: bool,
    },
    /// The stream was recovered by [`Durable::recover_read_only`](super::Durable::recover_read_only). It accepts no events, and takes no
    /// snapshots.
    ReadOnly,
    /// An earlier call failed or panicked after it had written to the journal. The stream must be recovered.
    Closed,
    /// A service cannot be shut down by one of its own threads, because that thread would wait for itself.
    Within,
}

impl DurableError {
    /// The position of an event that was applied before, and whose answer is not known.
    pub(crate) fn applied_at(&self) -> Option<Position> {
        match *self {
            Self::UnknownAnswer { position } | Self::UnreadableAnswer { position } => {
                Some(position)
            }
            _ => None,
        }
    }

    /// The code that saves a value panicked.
    #[cold]
    pub(super) fn panicked(panic: Payload) -> Self {
        Self::Panicked(panic_of(panic).message().to_string())
    }
}

impl fmt::Display for DurableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Journal(error) => error.fmt(f),
            Self::Snapshot(error) => error.fmt(f),
            Self::Stream(error) => error.fmt(f),
            Self::Undeclared(all) => {
                f.write_str("the program does not declare all resources of its handlers")?;
                all.iter().try_for_each(|(name, is_written)| {
                    let call = if *is_written {
                        "state"
                    } else {
                        "state` or `constant"
                    };
                    write!(f, "\n  {name:?}: call `{call}` of `Durable` for it")
                })
            }
            Self::Missing(all) => {
                f.write_str("declared resources are missing")?;
                all.iter()
                    .try_for_each(|name| write!(f, "\n  {name:?}: insert it before the recovery"))
            }
            Self::Duplicate { name } => write!(
                f,
                "two declared resources have the name `{name}`: declare each once, and give each type its own name"
            ),
            Self::OtherProgram { found, expected } => write!(
                f,
                "the journal belongs to the program `{found}`, but this is `{expected}`: use another directory"
            ),
            Self::OtherVersion {
                batch,
                of,
                found,
                expected,
            } => {
                match batch {
                    Some(batch) => write!(f, "batch {batch}")?,
                    None => f.write_str("pending follow-up events")?,
                }
                write!(
                    f,
                    " of version {found} of `{of}` cannot be replayed by version {expected}: drain the stream and take a snapshot \
                     with the old version first, or call `replay_older`"
                )
            }
            Self::ConstantChanged { batch } => write!(
                f,
                "a constant, the limits or the failure policy have changed since batch {batch}, which must be replayed: restore \
                 them, and take a snapshot before you change them; or, to replay the batches with the new values, raise the version \
                 of the program, and call `replay_older` of `Durable`"
            ),
            Self::Differs { batch, outcome } => {
                write!(f, "batch {batch} has other outcomes than before: ")?;
                if let Some(outcome) = outcome {
                    write!(f, "{outcome}; ")?;
                }
                f.write_str(
                    "a handler depends on something that is neither its event nor saved, or it has changed: restore the earlier \
                     handler, or make it depend only on its event and on declared resources; or ",
                )?;
                write!(
                    f,
                    "begin a new history with the new outcomes: call `accept_new_outcomes_from({batch})` of `Durable`, unless a \
                     snapshot has the state after it"
                )
            }
            Self::Rewritten(rewritten) => write!(
                f,
                "{rewritten}, and the reader has older ones: call `outcomes_from` with position {}:0, and `read_history({})`",
                rewritten.from, rewritten.history
            ),
            Self::Gap { snapshot, first } => write!(
                f,
                "the journal begins with batch {first}, but the newest snapshot that can be read is of batch {snapshot}: restore \
                 the missing files"
            ),
            Self::NotComparable { older, newer } => write!(
                f,
                "the snapshots of batches {older} and {newer} cannot be compared: the journal does not have all batches between them; \
                 if the stream is open, it has removed files after a further snapshot, so compare again; otherwise restore the \
                 missing files"
            ),
            Self::ClusterNotComparable => {
                f.write_str("the snapshots of a cluster cannot be compared")
            }
            Self::NoSnapshot { first } => write!(
                f,
                "the journal begins with batch {first}, and no snapshot can be read: restore the missing files"
            ),
            Self::TooOld { position, first } => write!(
                f,
                "the outcome of position {position} cannot be reported again: the journal goes back to position {first}; call \
                 `outcomes_from` with {first} or a later position, or restore the older segments and snapshots from a backup"
            ),
            Self::EventTooLarge {
                index,
                n_bytes,
                max_bytes,
            } => write!(
                f,
                "event {index} of the batch has {n_bytes} bytes, but the maximum is {max_bytes}: \
                 raise `max_event_bytes`, or make the event smaller"
            ),
            Self::Stopped { position } => write!(
                f,
                "the stream is stopped: the event at position {position} failed, and the failure policy is `Stop`; to continue \
                 after this event, call `skip` of `Durable` for this position and recover again"
            ),
            Self::Backlog {
                batch,
                n_pending,
                max,
            } => write!(
                f,
                "the stream has stopped after batch {batch}, because {n_pending} follow-up events wait, and the maximum is {max}: \
                 raise the limit with `EventLimits::max_pending` in `set_up` of `Durable`, and recover again"
            ),
            Self::KeysUnused => f.write_str(
                "the program stores no idempotency keys: call `idempotency_keys` of `Durable`",
            ),
            Self::InvalidKey { n_bytes } => write!(
                f,
                "an idempotency key has {n_bytes} bytes: use 1 to {MAX_KEY_BYTES} bytes"
            ),
            Self::KeyReused { position } => write!(
                f,
                "the idempotency key belongs to another event, at position {position}: use a new key for each event"
            ),
            Self::UnknownAnswer { position } => write!(
                f,
                "the event with this idempotency key was applied before, at position {position}, but its answer could not be \
                 serialized: read the state with a query"
            ),
            Self::UnreadableAnswer { position } => write!(
                f,
                "the event with this idempotency key was applied before, at position {position}, but its stored answer cannot be \
                 read, because the type of the answer has changed: read the state with a query"
            ),
            Self::NotStopped { position, stopped } => {
                write!(
                    f,
                    "position {position} cannot be skipped: its event has not stopped the stream"
                )?;
                match stopped {
                    None => f.write_str(", and no other event has: remove the call of `skip`"),
                    Some(stopped) => write!(f, ", but the event at position {stopped} has: skip that one first"),
                }
            }
            Self::EndsProcess {
                letter,
                may_be_released: true,
            } => write!(
                f,
                "the process ends each time that it applies the event at {letter}; its outcome may have been released before, so it \
                 must be the same again: restore the handler that was used before, or correct it so that it has the same outcome, and \
                 recover again"
            ),
            Self::EndsProcess {
                letter,
                may_be_released: false,
            } => write!(
                f,
                "the process ends each time that it applies the event at {letter}; correct the handler and recover again, or let the \
                 event fail with `max_dead_letters` of `Durable`"
            ),
            Self::DeadLetters { all, max } => {
                write!(
                    f,
                    "the process ends when it applies events: recovery fails after {max} dead letters in a row"
                )?;
                all.iter().try_for_each(|letter| write!(f, "\n  {letter}"))?;
                f.write_str(
                    "\ncorrect the handler and recover again; to let more events fail, raise `max_dead_letters` of `Durable`",
                )
            }
            Self::Panicked(message) => write!(
                f,
                "a value cannot be saved, because its implementation of `Snapshot` or `Serialize` panicked: {message}"
            ),
            Self::Executor(error) => write!(f, "the processes of the stream failed: {error}"),
            Self::OtherProcesses { is_cluster: true } => f.write_str(
                "the snapshot was written by a cluster: recover it with `Cluster::recover`",
            ),
            Self::OtherProcesses { is_cluster: false } => f.write_str(
                "the snapshot was not written by a cluster: recover it with `Durable::recover`",
            ),
            Self::ReadOnly => f.write_str(
                "the stream was opened to be read only: to change it, open it with `Durable::recover`",
            ),
            Self::Closed => {
                f.write_str("the stream is closed after an error: recover it from its journal")
            }
            Self::Within => f.write_str(
                "a service cannot be shut down by one of its own threads: call `shutdown` on another thread",
            ),
        }
    }
}

impl std::error::Error for DurableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Journal(error) => error.source(),
            Self::Snapshot(error) => error.source(),
            Self::Stream(error) => error.source(),
            Self::Executor(error) => error.source(),
            _ => None,
        }
    }
}

impl From<JournalError> for DurableError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl From<SnapshotError> for DurableError {
    fn from(error: SnapshotError) -> Self {
        Self::Snapshot(error)
    }
}

impl From<StreamError> for DurableError {
    fn from(error: StreamError) -> Self {
        Self::Stream(error)
    }
}
