//! What was said to a builder, as it was said.

use core::any::TypeId;
use core::panic::Location;
use std::sync::Arc;

use crate::access::{AccessSet, ResourceId};
use crate::condition::{Asked, Leaf};
use crate::failure::FailurePolicy;
use crate::formula::Formula;
use crate::order::{Reference, Strength, TypePath};
use crate::output::Branches;
use crate::place::SystemPlace;
use crate::settling::Settles;
use crate::system::{Instance, Run};
use crate::target::Target;
use schedule_graph::Policy;

/// The loop that something is directly in, as index of what was added; `None` outside of all.
pub(super) type Level = Option<usize>;

/// A system, a checkpoint, a flush or a loop.
#[derive(Clone)]
pub(super) struct Declared {
    pub(super) place: SystemPlace,
    pub(super) level: Level,
    /// The type, and its [`Identity::ID`](crate::Identity::ID); dynamic systems and closures have none.
    pub(super) ty: Option<(TypeId, u128)>,
    pub(super) work: DeclaredWork,
    /// What there is if it is true.
    pub(super) proves: Option<ResourceId>,
    /// What is told of it at the end of each run.
    pub(super) settles: Option<Settles>,
    /// Where its type stands.
    pub(super) path: Option<TypePath>,
    /// So much of its name, in bytes, is the modules that tell it apart from others.
    pub(super) n_prefix: usize,
    /// Its name is not that of its type.
    pub(super) is_renamed: bool,
    /// The part of the schedule that said it.
    pub(super) part: Option<usize>,
    /// A condition that nobody added: what a guard asks.
    pub(super) implied: Option<Asked>,
    /// The rank of the node that a schedule has made of it.
    pub(super) rank: Option<u32>,
    /// The resources that a dynamic system declares to read, although it writes them.
    pub(super) reads_of_written: Box<[ResourceId]>,
}

/// What a node is to do.
#[derive(Clone)]
pub(super) enum DeclaredWork {
    Checkpoint,
    Flush,
    System(DeclaredSystem),
    Loop {
        condition: DeclaredSystem,
        /// How often its parts may run in one pass.
        at_most: Option<u64>,
    },
    /// It was removed. Its place stays, so that the numbers of the others do.
    Removed,
}

/// What runs, and what is known of it.
pub(super) struct DeclaredSystem {
    /// `None` where a schedule has it.
    run: Option<Box<dyn Run>>,
    pub(super) access: Arc<AccessSet>,
    pub(super) branches: Option<Branches>,
}

/// How much was declared: what comes behind it was added for conditions that nobody added.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extent {
    pub(super) n_nodes: usize,
    pub(super) n_orders: usize,
    pub(super) n_memberships: usize,
    pub(super) n_guards: usize,
}

#[derive(Clone)]
pub(super) struct DeclaredGroup {
    pub(super) reference: Reference,
    /// Where it was spoken of.
    pub(super) level: Level,
    pub(super) location: &'static Location<'static>,
}

#[derive(Clone)]
pub(super) struct DeclaredMembership {
    pub(super) member: Target,
    pub(super) group: Reference,
    pub(super) location: &'static Location<'static>,
}

#[derive(Clone)]
pub(super) struct DeclaredOrder {
    /// Which of the two it was said of; `None` if of both.
    pub(super) said_of: Option<Target>,
    pub(super) first: Target,
    pub(super) then: Target,
    pub(super) strength: Strength,
    pub(super) location: &'static Location<'static>,
}

/// What has to hold for something to run.
#[derive(Clone)]
pub(super) struct DeclaredGuard {
    pub(super) guarded: Target,
    pub(super) formula: Formula<Leaf>,
    /// The part of the schedule that said it.
    pub(super) part: Option<usize>,
}

/// What a schedule, or a part of it, says of all that is in it.
#[derive(Clone, Default)]
pub(super) struct DeclaredRules {
    pub(super) policy: Option<Policy>,
    pub(super) resource_policies: Vec<(ResourceId, PolicyChoice)>,
    pub(super) failure_policy: Option<FailurePolicy>,
}

/// A part of a schedule.
#[derive(Clone)]
pub(super) struct DeclaredPart {
    /// The part that it is directly in, which has a smaller number.
    pub(super) around: Option<usize>,
    pub(super) rules: DeclaredRules,
}

/// A policy, why, and where it was chosen.
#[derive(Clone)]
pub(super) struct PolicyChoice {
    pub(super) policy: Policy,
    pub(super) reason: Option<String>,
    /// `schedule!` lists it, so that a later choice of the builder replaces it.
    pub(super) is_listed: bool,
    pub(super) location: &'static Location<'static>,
}

/// A failure policy, and where it was chosen.
#[derive(Clone, Copy)]
pub(super) struct FailurePolicyChoice {
    pub(super) policy: FailurePolicy,
    /// `schedule!` lists it, so that a later choice of the builder replaces it.
    pub(super) is_listed: bool,
    pub(super) location: &'static Location<'static>,
}

impl Declared {
    pub(super) fn is_loop(&self) -> bool {
        matches!(self.work, DeclaredWork::Loop { .. })
    }

    pub(super) fn is_flush(&self) -> bool {
        matches!(self.work, DeclaredWork::Flush)
    }

    /// Whether it was not removed.
    pub(super) fn is_there(&self) -> bool {
        !matches!(self.work, DeclaredWork::Removed)
    }

    /// Binds its system, or the condition of a loop, to the thread that calls `run`. Returns whether it has one.
    pub(super) fn bind_to_main_thread(&mut self) -> bool {
        let (DeclaredWork::System(system)
        | DeclaredWork::Loop {
            condition: system, ..
        }) = &mut self.work
        else {
            return false;
        };
        Arc::make_mut(&mut system.access).is_main_thread = true;
        true
    }

    /// What runs.
    pub(super) fn system(&self) -> Option<&DeclaredSystem> {
        match &self.work {
            DeclaredWork::System(system) => Some(system),
            DeclaredWork::Loop { condition, .. } => Some(condition),
            DeclaredWork::Checkpoint | DeclaredWork::Flush | DeclaredWork::Removed => None,
        }
    }
}

impl DeclaredSystem {
    /// What a node is made of: its own, which a schedule has from now on, or the one that it `had` already.
    pub(super) fn take(&mut self, had: impl FnOnce() -> Box<dyn Run>) -> Instance {
        let run = self.run.take().unwrap_or_else(had);
        Instance::of(run, Arc::clone(&self.access), self.branches)
    }
}

impl From<Instance> for DeclaredSystem {
    fn from(instance: Instance) -> Self {
        let branches = instance.branches();
        let (run, access) = instance.into_parts();
        Self {
            run: Some(run),
            access,
            branches,
        }
    }
}

/// What is known of it, without what runs: that stays where it is.
impl Clone for DeclaredSystem {
    fn clone(&self) -> Self {
        Self {
            run: None,
            access: Arc::clone(&self.access),
            branches: self.branches,
        }
    }
}

impl DeclaredRules {
    /// Adds a choice of the builder for a resource, in place of what is listed for it.
    pub(super) fn choose(&mut self, resource: ResourceId, choice: PolicyChoice) {
        self.resource_policies
            .retain(|(known, listed)| !(listed.is_listed && *known == resource));
        self.resource_policies.push((resource, choice));
    }
}

impl PolicyChoice {
    #[track_caller]
    pub(super) fn new(policy: Policy, reason: Option<String>) -> Self {
        Self {
            policy,
            reason,
            is_listed: false,
            location: Location::caller(),
        }
    }
}
