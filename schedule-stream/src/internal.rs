//! The interface for the other crates of the workspace. It may change in any release.

use std::io;
use std::path::PathBuf;

use schedule::access::ResourceType;
use schedule::snapshot::{SnapshotError, SnapshotReader};

pub use crate::durable::end_bytes::{SentEvent, read_end, write_end};
pub use crate::durable::executor::BatchExecutor;
pub use crate::durable::keys::EventResult;
pub use crate::durable::prepared::{Prepared, prepare, set_executor};
pub use crate::naming::KeyVisitor;
pub use crate::single::{EventEnd, EventRunner};

use crate::durable::remote::ElsewhereSection;
use crate::event::Event;
use crate::journal::JournalError;

/// Creates the error about a snapshot that is not whole.
pub fn damaged_snapshot(file: PathBuf, batch: u64) -> JournalError {
    JournalError::damaged_snapshot(file, batch)
}

/// Creates the error about an operation on a file.
pub fn file_error(action: &'static str, file: PathBuf, source: io::Error) -> JournalError {
    JournalError::io(action, file, source)
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
    let handler = |declaration: &crate::handler::HandlerDeclaration| HandlerInfo {
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
