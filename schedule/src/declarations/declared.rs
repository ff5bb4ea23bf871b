//! Each kind of declaration, as it was made.

use core::any::TypeId;
use core::panic::Location;
use std::sync::Arc;

use crate::access::{AccessSet, ResourceId};
use crate::condition::{Asked, Leaf};
use crate::failure::FailurePolicy;
use crate::formula::Formula;
use crate::order::{Reference, Strength, TypePath};
use crate::output::Branches;
use crate::place::{NodeId, SystemPlace};
use crate::settling::Settles;
use crate::system::{Instance, Run};
use crate::target::Target;
use schedule_graph::Policy;

/// The loop that something is directly in, as index of the declared nodes; `None` outside of all.
pub(crate) type Level = Option<usize>;

/// A system, a checkpoint, a sync point or a loop.
#[derive(Clone)]
pub(crate) struct Declared {
    /// Unique among all nodes that the schedule ever had.
    pub(crate) id: NodeId,
    pub(crate) place: SystemPlace,
    pub(crate) level: Level,
    /// The type, and its [`Identity::ID`](crate::Identity::ID); dynamic systems and closures have none.
    pub(crate) ty: Option<(TypeId, u128)>,
    pub(crate) work: DeclaredWork,
    /// What there is if it is true.
    pub(crate) proves: Option<ResourceId>,
    /// What is told of it at the end of each run.
    pub(crate) settles: Option<Settles>,
    /// Where its type stands.
    pub(crate) path: Option<TypePath>,
    /// Its name is not that of its type.
    pub(crate) is_renamed: bool,
    /// The plugin of the schedule that said it.
    pub(crate) plugin: Option<usize>,
    /// The condition that a guard names, if this node is implied by it.
    pub(crate) implied: Option<Asked>,
    /// The rank of the node that a schedule has made of it.
    pub(crate) rank: Option<u32>,
    /// The resources that a dynamic system declares to read, although it writes them.
    pub(crate) reads_of_written: Box<[ResourceId]>,
    /// A checkpoint that stands in place of what was removed.
    pub(crate) is_bridge: bool,
}

/// What a node is to do.
#[derive(Clone)]
pub(crate) enum DeclaredWork {
    Checkpoint,
    ApplyCommands,
    System(DeclaredSystem),
    Loop {
        condition: DeclaredSystem,
        /// How often its body may run in one pass.
        at_most: Option<u64>,
    },
    /// It was removed. Its place stays until the declarations are compiled, so that messages can name it.
    Removed,
}

/// What runs, and what is known of it.
pub(crate) struct DeclaredSystem {
    /// `None` where a schedule has it.
    run: Option<Box<dyn Run>>,
    pub(crate) access: Arc<AccessSet>,
    pub(crate) branches: Option<Branches>,
}

#[derive(Clone)]
pub(crate) struct DeclaredGroup {
    pub(crate) reference: Reference,
    /// Where it was spoken of.
    pub(crate) level: Level,
    pub(crate) location: &'static Location<'static>,
}

#[derive(Clone)]
pub(crate) struct DeclaredMembership {
    pub(crate) member: Target,
    pub(crate) group: Reference,
    pub(crate) location: &'static Location<'static>,
}

#[derive(Clone)]
pub(crate) struct DeclaredOrder {
    /// The system whose clause or attribute declares the order; `None` if it was declared for both at once.
    pub(crate) declared_on: Option<Target>,
    pub(crate) first: Target,
    pub(crate) then: Target,
    pub(crate) strength: Strength,
    pub(crate) location: &'static Location<'static>,
}

/// What has to hold for something to run.
#[derive(Clone)]
pub(crate) struct DeclaredGuard {
    pub(crate) guarded: Target,
    pub(crate) formula: Formula<Leaf>,
    /// The plugin of the schedule that said it.
    pub(crate) plugin: Option<usize>,
}

/// What a schedule, or a plugin of it, says of all that is in it.
#[derive(Clone, Default)]
pub(crate) struct DeclaredRules {
    pub(crate) policy: Option<Policy>,
    pub(crate) resource_policies: Vec<(ResourceId, PolicyChoice)>,
    pub(crate) failure_policy: Option<FailurePolicy>,
}

/// A plugin of a schedule.
#[derive(Clone)]
pub(crate) struct DeclaredPlugin {
    /// The plugin that it is directly in, which has a smaller number.
    pub(crate) around: Option<usize>,
    pub(crate) rules: DeclaredRules,
}

/// A policy, why, and where it was chosen.
#[derive(Clone)]
pub(crate) struct PolicyChoice {
    pub(crate) policy: Policy,
    pub(crate) reason: Option<String>,
    /// `schedule!` lists it, so that a later choice of the builder replaces it.
    pub(crate) is_listed: bool,
    pub(crate) location: &'static Location<'static>,
}

/// A failure policy, and where it was chosen.
#[derive(Clone, Copy)]
pub(crate) struct FailurePolicyChoice {
    pub(crate) policy: FailurePolicy,
    /// `schedule!` lists it, so that a later choice of the builder replaces it.
    pub(crate) is_listed: bool,
    pub(crate) location: &'static Location<'static>,
}

impl Declared {
    pub(crate) fn is_loop(&self) -> bool {
        matches!(self.work, DeclaredWork::Loop { .. })
    }

    pub(crate) fn applies_commands(&self) -> bool {
        matches!(self.work, DeclaredWork::ApplyCommands)
    }

    /// Whether it was not removed.
    pub(crate) fn is_there(&self) -> bool {
        !matches!(self.work, DeclaredWork::Removed)
    }

    /// Binds its system, or the condition of a loop, to the thread that calls `run`. Returns whether it has one.
    pub(crate) fn bind_to_main_thread(&mut self) -> bool {
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
    pub(crate) fn system(&self) -> Option<&DeclaredSystem> {
        match &self.work {
            DeclaredWork::System(system) => Some(system),
            DeclaredWork::Loop { condition, .. } => Some(condition),
            DeclaredWork::Checkpoint | DeclaredWork::ApplyCommands | DeclaredWork::Removed => None,
        }
    }
}

impl DeclaredSystem {
    /// Takes the system for a node of a schedule: the one declared here, or else the `previous` one that the schedule holds.
    pub(crate) fn take(&mut self, previous: impl FnOnce() -> Box<dyn Run>) -> Instance {
        let run = self.run.take().unwrap_or_else(previous);
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
    pub(crate) fn choose(&mut self, resource: ResourceId, choice: PolicyChoice) {
        self.resource_policies
            .retain(|(known, listed)| !(listed.is_listed && *known == resource));
        self.resource_policies.push((resource, choice));
    }
}

impl PolicyChoice {
    #[track_caller]
    pub(crate) fn new(policy: Policy, reason: Option<String>) -> Self {
        Self {
            policy,
            reason,
            is_listed: false,
            location: Location::caller(),
        }
    }
}
