//! The kinds of declarations.

use core::any::TypeId;
use core::panic::Location;

use crate::base::formula::Formula;
use crate::base::place::{NodeId, SystemPlace};
use crate::data::access::{EachAccess, ResourceId};
use crate::data::failure_policy::FailurePolicy;
use crate::data::marks::Marks;
use crate::data::order::{Reference, Strength, TypePath};
use crate::data::settings::Settings;
use crate::data::target::Target;
use crate::systems::condition::{Leaf, LeafSystem};
use crate::systems::rate::observer::ObserverType;
use crate::systems::system::Instance;
use schedule_graph::Policy;

/// The innermost loop around a node or group, as index of the declared nodes. `None` outside of all loops.
pub(crate) type Level = Option<usize>;

/// A system, a checkpoint, a sync point or a loop.
#[derive(Clone)]
pub(crate) struct Declared {
    /// Unique among all nodes that the schedule has had.
    pub(crate) id: NodeId,
    pub(crate) place: SystemPlace,
    pub(crate) level: Level,
    /// The type and its [`Identity::ID`](crate::Identity::ID). `None` for dynamic systems and closures.
    pub(crate) ty: Option<(TypeId, u128)>,
    pub(crate) work: DeclaredWork,
    /// The resource that exists if this condition is true.
    pub(crate) proves: Option<ResourceId>,
    /// The resource that is notified at the end of each run, if there is one.
    pub(crate) observer: Option<ObserverType>,
    /// The path of the type.
    pub(crate) path: Option<TypePath>,
    /// Whether the name differs from that of the type.
    pub(crate) is_renamed: bool,
    /// The plugin of the schedule that declares the node.
    pub(crate) plugin: Option<usize>,
    /// The condition in a guard that implies this node. `None` for a node that was added.
    pub(crate) implied: Option<LeafSystem>,
    /// The rank of this node in the schedule that was built from it.
    pub(crate) rank: Option<u32>,
    /// The resources that a dynamic system declares both as read and as written.
    pub(crate) reads_of_written: Box<[ResourceId]>,
    /// Its own marks, without those of groups, loops and plugins around it.
    pub(crate) marks: Marks,
    /// Whether this is a checkpoint that replaces a removed node.
    pub(crate) is_bridge: bool,
}

/// The work of a node.
#[derive(Clone)]
pub(crate) enum DeclaredWork {
    Checkpoint,
    ApplyCommands,
    System(Instance),
    Loop {
        condition: Instance,
        /// Maximum number of iterations per execution.
        at_most: Option<u64>,
    },
    /// A removed node. It keeps its index until the declarations are compiled, so that messages can name it.
    Removed,
}

#[derive(Clone)]
pub(crate) struct DeclaredGroup {
    pub(crate) reference: Reference,
    /// The level at which the group is declared.
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
    /// The system whose clause or attribute declares the order. `None` if a call declared the order for both systems.
    pub(crate) declared_on: Option<Target>,
    pub(crate) first: Target,
    pub(crate) then: Target,
    pub(crate) strength: Strength,
    pub(crate) location: &'static Location<'static>,
}

/// The run condition of a node or group.
#[derive(Clone)]
pub(crate) struct DeclaredGuard {
    pub(crate) guarded: Target,
    pub(crate) formula: Formula<Leaf>,
    /// The plugin of the schedule that declares the guard.
    pub(crate) plugin: Option<usize>,
}

/// The settings of a schedule or of a plugin, and its policies for resources.
#[derive(Clone, Default)]
pub(crate) struct DeclaredRules {
    pub(crate) settings: Settings,
    pub(crate) resource_policies: Vec<(ResourceId, PolicyChoice)>,
}

/// A plugin of a schedule.
#[derive(Clone)]
pub(crate) struct DeclaredPlugin {
    /// The plugin directly around this one. It has a smaller index.
    pub(crate) around: Option<usize>,
    pub(crate) rules: DeclaredRules,
}

/// A policy, its reason, and the location of the choice.
#[derive(Clone)]
pub(crate) struct PolicyChoice {
    pub(crate) policy: Policy,
    pub(crate) reason: Option<String>,
    /// Whether `schedule!` lists this choice. A later choice of the builder replaces it.
    pub(crate) is_listed: bool,
    pub(crate) location: &'static Location<'static>,
}

/// A failure policy, and the location of the choice.
#[derive(Clone, Copy)]
pub(crate) struct FailurePolicyChoice {
    pub(crate) policy: FailurePolicy,
    /// Whether `schedule!` lists this choice. A later choice of the builder replaces it.
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

    /// Returns whether the node was not removed.
    pub(crate) fn is_there(&self) -> bool {
        !matches!(self.work, DeclaredWork::Removed)
    }

    /// Returns whether only the thread that calls `run` may run the system or the loop condition.
    pub(crate) fn is_main_thread(&self) -> bool {
        self.marks.has(Marks::MAIN_THREAD)
            || self
                .system()
                .is_some_and(|system| system.access.is_main_thread)
    }

    /// Returns the access of a `for_each` system to the entity at hand.
    pub(crate) fn each(&self) -> Option<&EachAccess> {
        match &self.work {
            DeclaredWork::System(system) => system.access.each.as_deref(),
            _ => None,
        }
    }

    /// Returns the system or the loop condition.
    pub(crate) fn system(&self) -> Option<&Instance> {
        match &self.work {
            DeclaredWork::System(system) => Some(system),
            DeclaredWork::Loop { condition, .. } => Some(condition),
            DeclaredWork::Checkpoint | DeclaredWork::ApplyCommands | DeclaredWork::Removed => None,
        }
    }
}

impl DeclaredRules {
    /// Adds a choice of the builder for a resource. It replaces listed choices for the same resource.
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
