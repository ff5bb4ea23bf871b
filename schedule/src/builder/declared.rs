//! What was said to a builder, as it was said.

use core::any::TypeId;
use core::panic::Location;

use crate::access::ResourceId;
use crate::condition::Leaf;
use crate::failure::FailurePolicy;
use crate::formula::Formula;
use crate::order::{Reference, Strength};
use crate::place::SystemPlace;
use crate::policy::Policy;
use crate::system::Instance;
use crate::target::Target;

/// The loop that something is directly in, as index of what was added; `None` outside of all.
pub(super) type Level = Option<usize>;

/// A system, a checkpoint, a flush or a loop.
pub(super) struct Declared {
    pub(super) place: SystemPlace,
    pub(super) level: Level,
    /// The type, and its [`Identity::ID`](crate::Identity::ID); dynamic systems and closures have none.
    pub(super) ty: Option<(TypeId, u128)>,
    pub(super) work: DeclaredWork,
    /// What there is if it is true.
    pub(super) proves: Option<ResourceId>,
    /// Its name is not that of its type.
    pub(super) is_renamed: bool,
}

/// What a node is to do.
pub(super) enum DeclaredWork {
    Checkpoint,
    Flush,
    System(Instance),
    Loop {
        condition: Instance,
        /// How often its parts may run in one pass.
        at_most: Option<u64>,
    },
}

pub(super) struct DeclaredGroup {
    pub(super) reference: Reference,
    /// Where it was spoken of.
    pub(super) level: Level,
    pub(super) location: &'static Location<'static>,
}

pub(super) struct DeclaredMembership {
    pub(super) member: Target,
    pub(super) group: Reference,
    pub(super) location: &'static Location<'static>,
}

pub(super) struct DeclaredOrder {
    pub(super) first: Target,
    pub(super) then: Target,
    pub(super) strength: Strength,
    pub(super) location: &'static Location<'static>,
}

/// What has to hold for something to run.
pub(super) struct DeclaredGuard {
    pub(super) guarded: Target,
    pub(super) formula: Formula<Leaf>,
}

/// A policy, why, and where it was chosen.
#[derive(Clone)]
pub(super) struct PolicyChoice {
    pub(super) policy: Policy,
    pub(super) reason: Option<String>,
    pub(super) location: &'static Location<'static>,
}

/// A failure policy, and where it was chosen.
#[derive(Clone, Copy)]
pub(super) struct FailurePolicyChoice {
    pub(super) policy: FailurePolicy,
    pub(super) location: &'static Location<'static>,
}

impl Declared {
    pub(super) fn is_loop(&self) -> bool {
        matches!(self.work, DeclaredWork::Loop { .. })
    }
}

impl PolicyChoice {
    #[track_caller]
    pub(super) fn new(policy: Policy, reason: Option<String>) -> Self {
        Self {
            policy,
            reason,
            location: Location::caller(),
        }
    }
}
