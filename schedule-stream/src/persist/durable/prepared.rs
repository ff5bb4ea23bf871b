//! The parts of a program that the processes of a cluster need.

use super::engine::Engine;
use super::executor::BatchExecutor;
use super::{Durable, DurableError, DurableEvent, DurableStream};
use crate::persist::journal::{JournalHead, Recovered};
use crate::store::limits::EventLimits;
use schedule::internal::NameChanges;
use schedule::{FailurePolicy, Resources};

/// The parts of a program that a process of a cluster needs.
#[derive(Debug)]
pub struct Prepared {
    /// The head of the journal.
    pub head: JournalHead,
    /// The resources.
    pub resources: Resources,
    /// The limits of the stream.
    pub limits: EventLimits,
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
    let (head, stream, resources) = Engine::new(&mut durable, resources)?.into_parts();
    Ok(Prepared {
        head,
        resources,
        limits: stream.limits(),
        failure_policy: stream.failure_policy(),
    })
}

/// The names that have changed since values of the program were saved.
pub fn name_changes<E: DurableEvent>(durable: &Durable<E>) -> NameChanges {
    durable.changes.clone()
}

/// Runs the batches of a program elsewhere.
pub fn set_executor<E: DurableEvent>(
    durable: &mut Durable<E>,
    executor: Box<dyn BatchExecutor<E>>,
) {
    durable.executor = Some(executor);
}

/// Sets the repairs of the directory of the journal that [`Recovery`](super::Recovery) contains.
pub fn set_repairs<E: DurableEvent>(stream: &mut DurableStream<E>, repairs: Recovered) {
    stream.recovery_mut().files = repairs;
}
