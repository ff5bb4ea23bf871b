//! A node of a schedule: a system, a checkpoint or a flush, and what became of it.

use core::sync::atomic::{AtomicU8, Ordering};

use crate::access::{AccessSet, ResourceId};
use crate::failure::{Cause, Failure, FailurePolicy};
use crate::param::Lookup;
use crate::place::SystemPlace;
use crate::resource::Resources;
use crate::system::{Instance, Run};

/// A node of a schedule.
///
/// What a run touches lies together, and the rest behind a pointer: a node takes less than a cache line.
pub(crate) struct Node {
    pub(crate) work: Work,
    /// What became of it in the last run.
    pub(crate) outcome: AtomicOutcome,
    /// Index of the branch that the system answered in the last run; 1 where it answers nothing.
    pub(crate) answer: u32,
    /// Something that it needs was not there when it was last prepared.
    pub(crate) is_missing: bool,
    pub(crate) is_exclusive: bool,
    pub(crate) on_failure: FailurePolicy,
    pub(crate) about: Box<About>,
}

/// What a node does.
pub(crate) enum Work {
    /// Nothing: a checkpoint.
    Nothing,
    /// It runs a system.
    System(Box<dyn Run>),
    /// It carries out what systems recorded so far.
    Flush,
}

/// What is known of a node, and not needed to run it.
pub(crate) struct About {
    pub(crate) place: SystemPlace,
    pub(crate) access: AccessSet,
    /// Needed, and not there when the node was last prepared.
    pub(crate) missing: Option<ResourceId>,
    /// Why it failed in the last run.
    pub(crate) cause: Option<Cause>,
}

/// What became of a node in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Outcome {
    /// It ran, or has not been reached.
    Finished,
    /// It returned an error, or panicked, or a resource was missing.
    Failed,
    /// Another failed, and therefore it did not run.
    Skipped,
}

/// An [`Outcome`] that may be set for a node by any of those before it.
///
/// Relaxed throughout: whoever runs the node has synchronised with all that come before it.
pub(crate) struct AtomicOutcome(AtomicU8);

impl AtomicOutcome {
    fn new(outcome: Outcome) -> Self {
        Self(AtomicU8::new(outcome as u8))
    }

    pub(crate) fn get(&self) -> Outcome {
        match self.0.load(Ordering::Relaxed) {
            0 => Outcome::Finished,
            1 => Outcome::Failed,
            _ => Outcome::Skipped,
        }
    }

    pub(crate) fn set(&self, outcome: Outcome) {
        self.0.store(outcome as u8, Ordering::Relaxed);
    }
}

impl Node {
    pub(crate) fn system(
        place: SystemPlace,
        instance: Instance,
        on_failure: FailurePolicy,
    ) -> Self {
        let (system, access) = instance.into_parts();
        Self::new(place, Work::System(system), access, on_failure)
    }

    pub(crate) fn checkpoint(place: SystemPlace) -> Self {
        let on_failure = FailurePolicy::default();
        Self::new(place, Work::Nothing, AccessSet::default(), on_failure)
    }

    pub(crate) fn flush(place: SystemPlace) -> Self {
        let on_failure = FailurePolicy::default();
        Self::new(place, Work::Flush, AccessSet::exclusive(), on_failure)
    }

    fn new(place: SystemPlace, work: Work, access: AccessSet, on_failure: FailurePolicy) -> Self {
        Self {
            work,
            outcome: AtomicOutcome::new(Outcome::Finished),
            answer: 1,
            is_missing: false,
            is_exclusive: access.is_exclusive,
            on_failure,
            about: Box::new(About {
                place,
                access,
                missing: None,
                cause: None,
            }),
        }
    }

    pub(crate) fn is_system(&self) -> bool {
        matches!(self.work, Work::System(_))
    }

    /// Whether it is a checkpoint.
    pub(crate) fn does_nothing(&self) -> bool {
        matches!(self.work, Work::Nothing)
    }

    /// Whether only the thread that calls `run` may run it: what is exclusive may reach main-thread values, too.
    pub(crate) fn is_bound(&self) -> bool {
        self.is_exclusive || self.about.access.is_main_thread
    }

    /// Whether it uses a main-thread value.
    pub(crate) fn uses_main_thread(&self) -> bool {
        let mut uses = self.about.access.uses.iter();
        uses.any(|one| one.resource.is_main_thread())
    }

    /// Looks its resources up.
    pub(crate) fn prepare(&mut self, resources: &Resources) {
        if let Work::System(system) = &mut self.work {
            let mut lookup = Lookup::new(resources);
            system.prepare(&mut lookup);
            self.about.missing = lookup.into_missing();
            self.is_missing = self.about.missing.is_some();
        }
    }

    pub(crate) fn fail(&mut self, cause: Cause) {
        self.outcome.set(Outcome::Failed);
        self.about.cause = Some(cause);
    }

    /// The failure of the last run, if there was one; then there is none any more.
    pub(crate) fn take_failure(&mut self) -> Option<Failure> {
        let cause = self.about.cause.take()?;
        Some(Failure {
            system: self.about.place.clone(),
            cause,
        })
    }
}
