//! What the processes of a cluster need of a program.

use super::engine::Engine;
use super::executor::BatchExecutor;
use super::{Durable, DurableError, DurableEvent};
use crate::journal::JournalHead;
use crate::limits::Limits;
use schedule::{FailurePolicy, Resources};

/// What a process of a cluster needs of a program.
#[derive(Debug)]
pub struct Prepared {
    /// The head of the journal.
    pub head: JournalHead,
    /// The resources.
    pub resources: Resources,
    /// The limits of the stream.
    pub limits: Limits,
    /// The failure policy of the stream.
    pub failure_policy: FailurePolicy,
}

/// Checks a program, and returns its parts.
///
/// # Errors
///
/// If a resource is missing, or not declared.
pub fn prepare<E: DurableEvent>(
    mut durable: Durable<E>,
    resources: Resources,
) -> Result<Prepared, DurableError> {
    Engine::new(&mut durable, resources).map(Engine::into_prepared)
}

/// Runs the batches of a program elsewhere.
pub fn set_executor<E: DurableEvent>(
    durable: &mut Durable<E>,
    executor: Box<dyn BatchExecutor<E>>,
) {
    durable.executor = Some(executor);
}
