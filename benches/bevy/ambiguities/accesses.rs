//! The systems of a `bevy_ecs` schedule with their accesses and orders, verified by `schedule`.
//!
//! Everything is read from the schedule of `bevy_ecs` after it was initialised. Nothing is declared by hand.

use std::collections::{BTreeMap, BTreeSet};

use bevy_ecs::component::ComponentId;
use bevy_ecs::prelude::*;
use bevy_ecs::query::{ComponentAccessKind, FilteredAccess, FilteredAccessSet};
use bevy_ecs::schedule::{InternedSystemSet, NodeId, ScheduleGraph, SystemKey};
use bevy_ecs::system::SystemAccess;
use schedule::dynamic::DynamicSystem;

/// The resource that a system with commands writes. `bevy_ecs` does not know which components its commands change.
const COMMANDS: &str = "commands";

/// The systems of a schedule.
pub(crate) struct Systems {
    /// In the order of a run.
    systems: Vec<System>,
    /// Pairs of indices of systems: the first runs before the second.
    orders: Vec<(usize, usize)>,
    /// Pairs that `bevy_ecs` finds ambiguous: indices of systems, the smaller one first.
    pub(crate) ambiguous: BTreeSet<(usize, usize)>,
}

struct System {
    name: String,
    set: InternedSystemSet,
    access: SystemAccess,
    has_commands: bool,
}

/// The races of a schedule, as pairs of indices of systems.
#[derive(Default)]
pub(crate) struct Verdict {
    /// Conflicting systems without an order: the smaller index first.
    pub(crate) races: BTreeSet<(usize, usize)>,
    /// The orders that end all races.
    pub(crate) orders: Vec<(usize, usize)>,
}

impl Systems {
    /// Reads a schedule that was initialised.
    pub(crate) fn of(schedule: &Schedule) -> Self {
        let all = schedule
            .systems_with_access()
            .expect("the schedule was initialised");
        let (keys, systems): (Vec<SystemKey>, Vec<System>) = all
            .map(|(key, one)| {
                let system = one.system();
                let system = System {
                    name: system.name().shortname().to_string(),
                    set: system.default_system_sets()[0],
                    access: one.access().clone(),
                    has_commands: system.has_deferred(),
                };
                (key, system)
            })
            .unzip();
        let idx_of: BTreeMap<SystemKey, usize> = keys
            .iter()
            .enumerate()
            .map(|(idx, key)| (*key, idx))
            .collect();
        let graph = schedule.graph();
        let mut orders = Vec::new();
        for (first, then) in graph.dependency().graph().all_edges() {
            for first in members(graph, first) {
                for then in members(graph, then) {
                    orders.push((idx_of[&first], idx_of[&then]));
                }
            }
        }
        let ambiguous = graph.conflicting_systems().0.iter().map(|(one, other, _)| {
            let (one, other) = (idx_of[one], idx_of[other]);
            (one.min(other), one.max(other))
        });
        Self {
            ambiguous: ambiguous.collect(),
            systems,
            orders,
        }
    }

    /// The number of systems, without those that take the whole world: sync points, and the update of messages.
    pub(crate) fn n_shared(&self) -> usize {
        let systems = self.systems.iter();
        systems.filter(|one| one.access.is_shared()).count()
    }

    pub(crate) fn name(&self, idx: usize) -> &str {
        &self.systems[idx].name
    }

    pub(crate) fn set(&self, idx: usize) -> InternedSystemSet {
        self.systems[idx].set
    }

    /// Verifies these systems with the orders of their author.
    pub(crate) fn verify(&self, world: &World, with_commands: bool) -> Verdict {
        let mut builder = schedule::Schedule::builder();
        let splits = self.components_of_without();
        let mut nodes = Vec::new();
        for system in &self.systems {
            let mut declared = DynamicSystem::new(system.name.as_str(), |_| ());
            match &system.access {
                SystemAccess::None => {}
                SystemAccess::Exclusive => declared = declared.exclusive(),
                SystemAccess::Shared(accesses) => {
                    for access in accesses.filtered_accesses() {
                        declared = declare(declared, access, &splits, world);
                    }
                }
            }
            if with_commands && system.has_commands {
                declared = declared.writes(COMMANDS);
            }
            builder.add_dynamic(declared);
            nodes.push(builder.last().expect("a system was added"));
        }
        for (first, then) in &self.orders {
            builder.order(nodes[*first], nodes[*then]);
        }
        let Err(error) = builder.build() else {
            return Verdict::default();
        };
        let idx_of = |node| nodes.iter().position(|one| *one == node);
        let idx_of = |node| idx_of(node).expect("the builder has only these nodes");
        let races = error.races().map(|race| {
            let (one, other) = (idx_of(race.first_node), idx_of(race.second_node));
            (one.min(other), one.max(other))
        });
        let remedy = error
            .remedy()
            .expect("`bevy_ecs` accepts the orders, so they are acyclic");
        let orders = remedy
            .orders()
            .iter()
            .map(|order| (idx_of(order.first_node), idx_of(order.then_node)));
        Verdict {
            races: races.collect(),
            orders: orders.collect(),
        }
    }

    /// All components that a filter excludes.
    fn components_of_without(&self) -> Vec<ComponentId> {
        let shared = self
            .systems
            .iter()
            .filter_map(|system| match &system.access {
                SystemAccess::Shared(accesses) => Some(accesses),
                SystemAccess::None | SystemAccess::Exclusive => None,
            });
        let accesses = shared.flat_map(FilteredAccessSet::filtered_accesses);
        let excluded: BTreeSet<ComponentId> =
            accesses.flat_map(FilteredAccess::without_filters).collect();
        excluded.into_iter().collect()
    }
}

/// Declares an access. Filters are expressed by names: each component has a name for each combination of the components that
/// a filter excludes anywhere, and an access uses the names of all combinations that its filter matches.
fn declare(
    mut system: DynamicSystem,
    access: &FilteredAccess,
    splits: &[ComponentId],
    world: &World,
) -> DynamicSystem {
    let used = access.access().try_iter_access();
    for used in used.expect("no system of the game takes all components") {
        let component = *used.index();
        for combination in 0..1_u32 << splits.len() {
            let has = |component: ComponentId| {
                let idx = splits.iter().position(|split| *split == component);
                idx.map(|idx| combination & 1 << idx != 0)
            };
            let is_match = access.filter_sets().iter().any(|filter| {
                filter.with().iter().all(|with| has(with) != Some(false))
                    && filter
                        .without()
                        .iter()
                        .all(|without| has(without) == Some(false))
            });
            if !is_match {
                continue;
            }
            let name = world
                .components()
                .get_name(component)
                .expect("it is registered");
            let resource = format!("{} {combination}", name.shortname());
            system = match used {
                ComponentAccessKind::Exclusive(_) => system.writes(resource),
                ComponentAccessKind::Shared(_) => system.reads(resource),
                ComponentAccessKind::Archetypal(_) => system,
            };
        }
    }
    system
}

/// The systems of a node: of a set, all systems in it.
fn members(graph: &ScheduleGraph, node: NodeId) -> Vec<SystemKey> {
    match node {
        NodeId::System(system) => vec![system],
        NodeId::Set(_) => {
            let hierarchy = graph.hierarchy().graph();
            let children = hierarchy.neighbors(node);
            children.flat_map(|child| members(graph, child)).collect()
        }
    }
}
