//! The interface for the other crates of the workspace. It may change in any release.

use core::error::Error;
use core::ops::ControlFlow;
use std::io;
use std::path::PathBuf;

use schedule::access::ResourceType;
use schedule::snapshot::{SnapshotError, SnapshotReader};

pub use crate::base::position::EventInfo;
pub use crate::engine::single::{EventEnd, EventRunner};
pub use crate::persist::durable::end_bytes::{SentEvent, read_end, write_end};
pub use crate::persist::durable::executor::{AddedEvent, BatchExecutor, FinishError};
pub use crate::persist::durable::keys::EventResult;
pub use crate::persist::durable::prepared::{
    Prepared, name_changes, prepare, set_executor, set_repairs,
};
pub use crate::program::key_lookup::KeyVisitor;

use crate::engine::lanes::Lanes;
use crate::engine::queues::Queues;
use crate::engine::stream::{Processing, Stream};
use crate::engine::tickets::Tickets;
use crate::persist::durable::remote::ElsewhereSection;
use crate::persist::journal::{
    JournalError, JournalHead, JournalRecord, RULES, StoredRecord, check_records,
};
use crate::program::event::Event;

/// How a stream processes its events, in tests and benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessingMode {
    /// [`Processing::Auto`]
    Auto,
    /// [`Processing::Serial`]
    Serial,
    /// [`Processing::Parallel`]
    Parallel,
    /// In parallel. Each thread has a lane, up to seven lanes. A lane processes its events in order. An event goes to
    /// the lane in which it can begin first.
    Lanes,
    /// In parallel. Each record has a queue of events, and a completed event makes the next ones ready.
    Queues,
    /// In parallel. A thread searches all waiting events for a ready one, so processing is slow while many events wait.
    Tickets,
}

/// Sets how a stream processes its events.
pub fn set_mode<E: Event>(stream: &mut Stream<E>, mode: ProcessingMode) {
    match mode {
        ProcessingMode::Auto => stream.set_processing(Processing::Auto),
        ProcessingMode::Serial => stream.set_processing(Processing::Serial),
        ProcessingMode::Parallel => stream.set_processing(Processing::Parallel),
        ProcessingMode::Lanes => stream.set_structure::<Lanes>(),
        ProcessingMode::Queues => stream.set_structure::<Queues>(),
        ProcessingMode::Tickets => stream.set_structure::<Tickets>(),
    }
}

/// Creates the error about a snapshot that is not whole.
pub fn damaged_snapshot(file: PathBuf, batch: u64) -> JournalError {
    JournalError::damaged_snapshot(file, batch)
}

/// Creates the error about an operation on a file.
pub fn file_error(action: &'static str, file: PathBuf, source: io::Error) -> JournalError {
    JournalError::io(action, file, source)
}

/// Creates the error about an operation of another program.
pub fn remote_error(
    action: &'static str,
    service: String,
    source: Box<dyn Error + Send + Sync>,
) -> JournalError {
    JournalError::Remote {
        action,
        service,
        source,
    }
}

/// Creates the error of a process that must not write a journal any more.
pub fn fenced(stream: String, sequence: u64) -> JournalError {
    JournalError::Fenced { stream, sequence }
}

/// Creates the error about a message that is not whole, see [`JournalError::DamagedMessage`].
pub fn damaged_message(
    stream: String,
    sequence: u64,
    batch: u64,
    problem: &'static str,
) -> JournalError {
    JournalError::DamagedMessage {
        stream,
        sequence,
        batch,
        problem,
    }
}

/// Creates the error of a journal that an earlier error has closed.
pub fn closed_journal(cause: String) -> JournalError {
    JournalError::Closed { cause }
}

/// Checks the arguments of [`Journal::append`](crate::journal::Journal::append) of a journal that was started.
///
/// `next`: the batch that must be first.
///
/// # Errors
///
/// If the records are not consecutive from there, or if one is too long.
pub fn check_appended(next: u64, records: &[JournalRecord]) -> Result<(), JournalError> {
    check_records(next, records)
}

/// Returns the generation after this one.
///
/// # Errors
///
/// If there is none.
pub fn next_generation(last: u64) -> Result<u64, JournalError> {
    crate::persist::journal::next_generation(last)
}

/// Returns the head of whole bytes. `is_first`: whether they have format 1.
pub fn decode_head(is_first: bool, bytes: &[u8]) -> Option<JournalHead> {
    crate::persist::journal::decode_head(is_first, bytes)
}

/// Visits the entries of a segment with this head, generation and rules from the batch `from` on, until `visit` breaks.
pub fn visit_records(
    segment: (&JournalHead, u64, u32),
    records: &[JournalRecord],
    from: u64,
    visit: &mut dyn FnMut(StoredRecord<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    crate::persist::journal::visit_records(segment, records, from, visit)
}

/// Creates the error about an entry of a kind that is unknown and must not be skipped, in this place.
pub fn unknown_entry(place: String, record: &JournalRecord) -> JournalError {
    JournalError::UnknownEntry {
        place,
        batch: record.batch,
        kind: record.kind.number(),
    }
}

/// Creates the error about rules that are unknown, in this place.
pub fn unknown_rules(place: String, found: u32) -> JournalError {
    JournalError::Rules {
        place,
        found,
        supported: RULES,
    }
}

/// Creates the error of a journal that was not started.
pub fn journal_not_started() -> JournalError {
    JournalError::NotStarted
}

/// Creates the error about a head or record with too many bytes.
pub fn too_long(batch: u64, n_bytes: u64) -> JournalError {
    JournalError::TooLong { batch, n_bytes }
}

/// Returns what [`BatchExecutor::save`] has returned, from a snapshot.
///
/// # Errors
///
/// If the snapshot is not one of a stream whose batches run elsewhere.
pub fn saved_elsewhere(snapshot: &[u8]) -> Result<Vec<u8>, SnapshotError> {
    let ElsewhereSection(saved) = SnapshotReader::new(snapshot)?.restore()?;
    Ok(saved)
}

/// A parameter of a handler.
#[derive(Clone, Copy, Debug)]
pub struct ParameterInfo {
    /// Its name.
    pub name: &'static str,
    /// The store or resource. `None` for a parameter that describes the event.
    pub resource: Option<ResourceType>,
    /// Whether the handler may write it.
    pub is_write: bool,
    /// Whether the event names keys for it.
    pub is_keyed: bool,
}

/// A handler of an event.
#[derive(Clone, Debug)]
pub struct HandlerInfo {
    /// The name of the function.
    pub name: &'static str,
    /// Its parameters, without the event.
    pub parameters: Vec<ParameterInfo>,
}

/// Describes the handlers of an event, by case.
pub fn handlers<E: Event>() -> Vec<HandlerInfo> {
    let handler = |declaration: &crate::program::handler::HandlerDeclaration| HandlerInfo {
        name: declaration.name.base(),
        parameters: declaration
            .arguments
            .all
            .iter()
            .map(|argument| {
                let store = argument.store();
                ParameterInfo {
                    name: argument.name,
                    resource: store.map(|of| of.0),
                    is_write: store.is_some_and(|of| of.1),
                    is_keyed: argument.is_keyed,
                }
            })
            .collect(),
    };
    E::HANDLERS.iter().map(handler).collect()
}
