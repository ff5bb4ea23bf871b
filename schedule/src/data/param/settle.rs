//! What happens to the commands, requests and folds that a system recorded.
//!
//! Invariant: while a [`Join`] exists, the thread that has it may write its resource, and nothing else accesses that resource.
#![expect(unsafe_code, reason = "permits a fold to write its resource")]

use core::any::TypeId;
use core::fmt;
use std::sync::Arc;

use super::failures::FailureLists;
#[cfg(feature = "snapshot")]
use super::saved_local::{LocalsRestorer, LocalsSaver};
use super::{CommandQueue, Requests};
use crate::base::panics::{FirstPanic, Payload};
use crate::base::place::SystemPlace;
use crate::data::access::AccessSet;
use crate::data::message::MessagesFull;
use crate::data::resource::Resources;
use crate::data::resource::watched::ConditionMemory;

/// What a parameter has to do with its records of the last executions: commands, requests, and partial results of folds. Or with the
/// failures before the next one.
#[derive(Debug)]
pub enum Settle<'a> {
    /// Moves the commands to the end of the queue.
    TakeCommands(&'a mut CommandQueue),
    /// Takes the memory of a queue that was applied, to record in it again.
    ReuseCommands(&'a mut CommandQueue),
    /// Notes the access of the system, which says what its commands may change.
    DeclareCommands(&'a Arc<AccessSet>),
    /// Notes whether there are commands.
    FindCommands(&'a mut bool),
    /// Moves the requests for the next run to the end of the list.
    TakeRequests(&'a mut Requests),
    /// Resets the local state: the next execution starts with the default.
    ResetLocals(&'a mut FirstPanic),
    /// Saves the local state that can be saved.
    #[cfg(feature = "snapshot")]
    SaveLocals(&'a mut LocalsSaver),
    /// Takes a step to restore the local state.
    #[cfg(feature = "snapshot")]
    RestoreLocals(&'a mut LocalsRestorer),
    /// Joins the partial results into a resource.
    JoinFolds(&'a mut Join),
    /// Moves the partial results to the end of the queue.
    TakeFolds(&'a mut FoldQueue),
    /// Drops the partial results of the last execution, because it failed.
    DropFolds,
    /// Notes the failures before the next execution.
    NoteFailures(&'a FailureLists),
    /// Registers the readers of messages. Only for a node that uses messages.
    Register {
        /// The resources of the run.
        resources: &'a mut Resources,
        /// The system.
        place: &'a Arc<SystemPlace>,
    },
    /// Prepares messages for a run with these resources, after all readers are registered. Only for a node that uses messages.
    BeginRun(&'a mut Resources),
    /// Notes whether the system is enabled. Only for a node that uses messages.
    NoteEnabled(bool),
    /// Looks up the versions of the resource that the parameter writes, if it is watched.
    NoteWatched(&'a Resources),
    /// Adds the memory of a condition about changes.
    FindMemories(&'a mut Vec<Arc<ConditionMemory>>),
    /// Undoes the last look at changes, because the system is skipped although its parameters were fetched.
    UndoLook,
}

/// Partial results of one iteration of a loop, to be joined later.
#[derive(Default)]
pub struct FoldQueue(Vec<Box<dyn TakenFolds>>);

/// The partial results of one parameter.
pub(super) trait TakenFolds: Send {
    /// Joins the partial results, if the permission is for their resource. Returns whether it is.
    fn join(&mut self, join: &mut Join) -> bool;
}

impl FoldQueue {
    pub(super) fn push(&mut self, taken: Box<dyn TakenFolds>) {
        self.0.push(taken);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Joins and removes the partial results of one resource.
    pub(crate) fn join(&mut self, join: &mut Join) {
        self.0.retain_mut(|taken| !taken.join(join));
    }
}

impl fmt::Debug for FoldQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FoldQueue({} taken)", self.0.len())
    }
}

/// The permission to join partial results into one resource, and the first failure of a join.
pub struct Join {
    resource: TypeId,
    panics: FirstPanic,
    full: Option<MessagesFull>,
    /// Whether messages are dropped, because a join of the same system has found their queue full.
    refuses_messages: bool,
}

/// The reason why a join failed.
pub(crate) enum JoinFailure {
    Panic(Payload),
    Full(MessagesFull),
}

impl Join {
    /// Creates the permission for a resource.
    ///
    /// # Safety
    ///
    /// As long as the value exists:
    ///
    /// - Nothing else accesses the resource.
    /// - The states that get the value are prepared for the resources of this run, and none was inserted or removed since.
    pub(crate) const unsafe fn new(resource: TypeId) -> Self {
        Self {
            resource,
            panics: FirstPanic::NONE,
            full: None,
            refuses_messages: false,
        }
    }

    /// Drops messages instead.
    pub(crate) fn refuse_messages(&mut self) {
        self.refuses_messages = true;
    }

    /// Whether the permission is for this resource.
    pub(super) fn is_into<R: 'static>(&self) -> bool {
        self.resource == TypeId::of::<R>()
    }

    /// Joins a partial result. After a panic, drops it instead.
    pub(super) fn join<P>(&mut self, partial: P, join: impl FnOnce(P)) {
        if self.panics.is_none() {
            _ = self.panics.call(|| join(partial))
        } else {
            self.panics.drop(partial)
        }
    }

    /// Calls a function that adds messages, unless an earlier join failed.
    pub(super) fn append(&mut self, append: impl FnOnce() -> Result<(), MessagesFull>) {
        if !self.refuses_messages
            && self.panics.is_none()
            && self.full.is_none()
            && let Some(Err(full)) = self.panics.call(append)
        {
            self.full = Some(full);
        }
    }

    /// Returns the first failure.
    pub(crate) fn into_failure(self) -> Option<JoinFailure> {
        match self.full {
            Some(full) => Some(JoinFailure::Full(full)),
            None => self.panics.into_payload().map(JoinFailure::Panic),
        }
    }
}

impl fmt::Debug for Join {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Join").finish_non_exhaustive()
    }
}
