//! Resolves the run conditions of all nodes. Adds the conditions that guards name but that are not declared (implied conditions).

mod numbering;

use core::panic::Location;
use std::collections::HashMap;

use schedule_graph::internal::{
    self, Arena, ConditionFault, ConditionsMemory, Full, Groups, GroupsMemory, Heap, Item, Lowered,
    LoweredExtent, LoweredMemory, NONE, Order, OwnedConditions, Token, UnresolvedGuards,
};

use self::numbering::{ImpliedBy, Numbering};
use super::index::removed;
use super::members::{Members, distinct_groups};
use super::numbered::Numbered;
use super::similar::Similar;
use super::{All, Implied};
use crate::base::formula::Formula;
use crate::base::place::{NodeId, SystemPlace};
use crate::data::order::Reference;
use crate::data::target::{Named, Target};
use crate::declare::declarations::{
    Declared, DeclaredGuard, DeclaredMembership, DeclaredOrder, DeclaredWork, Level,
};
use crate::declare::problem::{NamedBy, Problem};
use crate::systems::condition::{Leaf, LeafSystem};
use crate::systems::system::Declaration;

/// A resolved guard.
pub(crate) struct Resolved {
    pub(crate) guarded: Guarded,
    pub(crate) formula: Formula<ResolvedLeaf>,
    /// Whether a leaf could not be resolved, which is a problem. A broken guard is ignored.
    pub(crate) is_broken: bool,
}

/// The target of a guard.
#[derive(Clone, Copy)]
pub(crate) enum Guarded {
    /// A declared node.
    Node(usize),
    Group(Reference),
}

/// A declared node, and the answer that the leaf requires of it.
#[derive(Clone, Copy)]
pub(crate) struct ResolvedLeaf {
    pub(crate) node: usize,
    pub(crate) index: u32,
}

/// The guards of declarations, with their conditions.
pub(crate) struct Conditions {
    pub(crate) guards: Vec<Resolved>,
    tables: Tables,
    found: OwnedConditions,
    /// The numbers of declared loops, sync points and implied conditions.
    n_loops: usize,
    n_sync_points: usize,
}

/// The memory of [`UnresolvedGuards`].
#[derive(Default)]
struct Tables {
    guards: Vec<(Item, u32)>,
    template_starts: Vec<u32>,
    leaves: Vec<internal::Leaf>,
    /// `sources[l]`: leaf l as declared.
    sources: Vec<Leaf>,
    token_starts: Vec<u32>,
    tokens: Vec<Token>,
    conditions: Vec<internal::Condition>,
    candidates: Vec<u32>,
}

impl Tables {
    fn unresolved(&self) -> UnresolvedGuards<'_> {
        UnresolvedGuards {
            guards: &self.guards,
            template_starts: &self.template_starts,
            leaves: &self.leaves,
            token_starts: &self.token_starts,
            tokens: &self.tokens,
            conditions: &self.conditions,
            candidates: &self.candidates,
        }
    }
}

impl Conditions {
    /// Returns the location that names the condition of a leaf. `leaf` is an index into the leaves of all guards.
    pub(super) fn location(&self, leaf: usize) -> &'static Location<'static> {
        let found = self.found.view();
        let guard = found.guard_of(leaf);
        let template = found.template(guard) as usize;
        let first = self.tables.template_starts[template] as usize;
        self.tables.sources[first + leaf - found.first_leaf(guard)].location
    }

    /// Lowers the declarations with these guards and passes the lowered graph to `take`.
    pub(super) fn lower<T>(
        &self,
        groups: &Groups<'_>,
        orders: &[Order],
        take: impl FnOnce(&Lowered<'_>) -> T,
    ) -> T {
        let found = self.found.view();
        let unresolved = self.tables.unresolved();
        let declared = groups.declared();
        let (n_guards, n_leaves) = (found.n_guards(), found.n_leaves());
        let is_weak = |order: &&Order| matches!(order.strength, internal::Strength::Weak);
        let n_weak_orders = orders.iter().filter(is_weak).count();
        let tokens = self
            .tables
            .token_starts
            .windows(2)
            .map(|range| (range[1] - range[0]) as usize);
        let has_guarded_groups =
            (0..n_guards).any(|guard| matches!(found.guarded(guard), Item::Group(_)));
        let mut extent = LoweredExtent {
            n_declared: declared.kinds.len(),
            n_implied: found.n_implied(),
            n_loops: self.n_loops,
            n_sync_points: self.n_sync_points,
            n_groups: groups.n_groups(),
            n_members: declared.members.len(),
            n_orders: orders.len(),
            n_weak_orders,
            n_guards,
            n_leaves,
            n_tokens: tokens.max().unwrap_or(0),
            n_in_weak_groups: 0,
            n_shared_guards: 0,
            n_extra_edges: 0,
            n_needed: n_leaves,
        };
        // These sizes are known only after lowering, so they start with an estimate.
        if n_weak_orders > 0 && groups.n_groups() > 0 {
            extent.n_in_weak_groups = declared.members.len();
        }
        if has_guarded_groups {
            extent.n_shared_guards = declared.members.len() + n_guards;
            extent.n_extra_edges = n_leaves;
            extent.n_needed += declared.members.len();
        }
        if self.n_sync_points > 0 && found.n_implied() > 0 {
            extent.n_extra_edges += self.n_sync_points + found.n_implied();
        }
        loop {
            let mut heap = Heap::of(|arena| LoweredMemory::take(arena, extent));
            let memory = LoweredMemory::take(&mut heap.arena(), extent);
            match Lowered::new(groups, unresolved, found, orders, memory) {
                Ok(lowered) => return take(&lowered),
                Err(Full) => {
                    let more = |n: usize| 2 * n + n_leaves + declared.kinds.len();
                    extent.n_in_weak_groups = more(extent.n_in_weak_groups);
                    extent.n_shared_guards = more(extent.n_shared_guards);
                    extent.n_extra_edges = more(extent.n_extra_edges);
                    extent.n_needed = more(extent.n_needed);
                }
            }
        }
    }
}

/// Finds the conditions of all guards. A condition that is not declared is implied, at the level of the nodes that it guards.
///
/// `all`: declarations without implied nodes. `previous`: the implied conditions of the schedule that these declarations change.
pub(super) fn find_conditions(
    all: All<'_>,
    previous: &[Declared],
    problems: &mut Vec<Problem>,
) -> (Conditions, Implied) {
    let count =
        |is_one: &dyn Fn(&Declared) -> bool| all.there().filter(|(_, one)| is_one(one)).count();
    let mut conditions = Conditions {
        guards: Vec::new(),
        tables: Tables::default(),
        found: OwnedConditions::none(),
        n_loops: count(&Declared::is_loop),
        n_sync_points: count(&Declared::applies_commands),
    };
    if all.declared.guards.is_empty() {
        return (conditions, Implied::default());
    }
    let systems;
    (conditions.tables, systems) = Numbering::new(all).tables(all);
    conditions.found = find(all, conditions.tables.unresolved());
    let found = conditions.found.view();
    let mut implied = imply(all, previous, &systems, found);
    let all = all.with_implied(&implied);

    let mut faults: HashMap<(usize, usize), ConditionFault> = HashMap::new();
    for nth in 0..found.n_faults() {
        let (guard, leaf, fault) = found.fault(nth);
        faults.insert((guard, leaf), fault);
    }
    let reporting = Reporting {
        all,
        similar: Similar::default(),
    };
    let mut uses = Vec::new();
    let mut broken = Vec::new();
    for guard in 0..found.n_guards() {
        let declared = all.guard(guard);
        let guarded = match &declared.guarded.0 {
            Named::Node(id) => Guarded::Node(all.index_of_subject(*id)),
            Named::Type(reference) => Guarded::Group(*reference),
            Named::Name(_) => unreachable!("a guard is about what was added last"),
        };
        let mut is_broken = found.is_broken(guard);
        let mut leaf_idx = found.first_leaf(guard);
        let formula = declared.formula.map(|leaf| {
            let nth = leaf_idx - found.first_leaf(guard);
            let node = found.node(leaf_idx);
            leaf_idx += 1;
            let problem = match faults.get(&(guard, nth)) {
                Some(&fault) => Some(reporting.problem(guarded, leaf, fault)),
                None => check(all, node as usize, leaf).err(),
            };
            if node != NONE {
                uses.push(ConditionUse {
                    condition: node as usize,
                    guarded,
                    plugin: declared.plugin,
                });
            }
            is_broken |= problem.is_some();
            problems.extend(problem);
            ResolvedLeaf {
                node: if node == NONE {
                    usize::MAX
                } else {
                    node as usize
                },
                index: leaf.index,
            }
        });
        if is_broken {
            broken.push(guard);
        }
        conditions.guards.push(Resolved {
            guarded,
            formula,
            is_broken,
        });
    }
    for guard in broken {
        conditions.found.break_guard(guard);
    }
    let plugins = plugins_of_implied(all, &uses);
    for (condition, plugin) in plugins {
        implied.nodes[condition].plugin = plugin;
    }
    (conditions, implied)
}

/// Returns the conditions of a built schedule. They imply the same conditions as in the build.
pub(crate) fn known_conditions(all: All<'_>) -> Conditions {
    let mut problems = Vec::new();
    let previous = &all.implied.nodes;
    let (conditions, implied) = find_conditions(all.without_implied(), previous, &mut problems);
    debug_assert!(
        problems.is_empty(),
        "the schedule was built from the same declarations"
    );
    debug_assert_eq!(implied.nodes.len(), previous.len());
    conditions
}

/// Finds the nodes that guards evaluate, and the conditions that guards imply.
fn find(all: All<'_>, unresolved: UnresolvedGuards<'_>) -> OwnedConditions {
    let spoken = distinct_groups(all);
    let members = Members::declared(all, &spoken);
    let numbered = Numbered::new(all, &spoken);
    let (n_declared, n_groups) = (all.n_nodes(), spoken.len());
    let n_members = members.len();
    let take = |arena: &mut Arena<'static>| {
        GroupsMemory::take(arena, n_declared, n_groups, n_members);
    };
    let mut heap = Heap::of(take);
    let memory = GroupsMemory::take(&mut heap.arena(), n_declared, n_groups, n_members);
    let groups = Groups::new(numbered.of(&members), memory);
    let mut n_guards = unresolved.guards.len() + unresolved.template_starts.len();
    let mut n_leaves = unresolved.leaves.len() + n_guards;
    let mut n_implied = unresolved.conditions.len();
    loop {
        let mut heap = Heap::of(|arena| {
            ConditionsMemory::take(arena, n_guards, n_leaves, n_implied);
        });
        let memory = ConditionsMemory::take(&mut heap.arena(), n_guards, n_leaves, n_implied);
        match internal::Conditions::find(unresolved, &groups, memory) {
            Ok(conditions) => return conditions.into(),
            Err(Full) => {
                n_guards *= 2;
                n_leaves *= 2;
                n_implied = 2 * n_implied + 1;
            }
        }
    }
}

/// Returns the implied conditions: those of the previous schedule, or new ones. `systems[c]` is the system of condition c.
fn imply(
    all: All<'_>,
    previous: &[Declared],
    systems: &[LeafSystem],
    found: internal::Conditions<'_>,
) -> Implied {
    let mut known: HashMap<(ImpliedBy, Level), &Declared> = HashMap::new();
    for one in previous {
        let by = one
            .implied
            .as_ref()
            .and_then(ImpliedBy::of)
            .expect("an implied condition is not added");
        known.insert((by, one.level), one);
    }
    let mut implied = Implied::default();
    // These ids become used when the declarations are accepted.
    let mut ids = (all.declared.next_id()..).map(NodeId::new);
    let mut new = |node| Declared {
        id: ids.next().expect("there are more ids than nodes"),
        ..node
    };
    for nth in 0..found.n_implied() {
        let system = &systems[found.implied(nth) as usize];
        let level = found.level_of_implied(nth);
        let level = (level != NONE).then_some(level as usize);
        let known = ImpliedBy::of(system).and_then(|by| known.get(&(by, level)));
        let declared = match (known, system) {
            (Some(&known), _) => known.clone(),
            (None, LeafSystem::Type(declaration)) => new(Declared::of_system(declaration)),
            (None, LeafSystem::Own(own)) => {
                let place = SystemPlace {
                    name: own.name.clone(),
                    location: own.location,
                };
                let work = DeclaredWork::System((own.instantiate)());
                new(Declared::new(place, None, work))
            }
            (None, LeafSystem::Added(_)) => unreachable!("it was added"),
        };
        let node = declared.id;
        implied.by_id.push((node, nth));
        implied.nodes.push(Declared {
            level,
            implied: Some(system.clone()),
            ..declared
        });
        if let LeafSystem::Type(declaration) = system {
            let this = node.into();
            let orders = DeclaredOrder::all_of(&this, declaration);
            implied.orders.extend(orders);
            let memberships = DeclaredMembership::all_of(&this, declaration);
            implied.memberships.extend(memberships);
            let guards = DeclaredGuard::all_of(&this, declaration, None);
            implied.guards.extend(guards);
        }
    }
    implied.by_id.sort_unstable();
    implied
}

/// One use of a condition by a guard.
struct ConditionUse {
    condition: usize,
    guarded: Guarded,
    /// The plugin that declares the guard.
    plugin: Option<usize>,
}

/// Returns the plugin of each implied condition: the innermost plugin that contains everything that the condition guards.
fn plugins_of_implied(all: All<'_>, uses: &[ConditionUse]) -> Vec<(usize, Option<usize>)> {
    if all.declared.plugins.is_empty() {
        return Vec::new();
    }
    let n_declared = all.declared.nodes.len();
    let mut plugin_of: HashMap<usize, Option<usize>> = HashMap::new();
    // An implied condition may guard another one, so the loop repeats until no plugin changes.
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for one in uses {
            let is_implied = |idx: usize| idx >= n_declared;
            let plugin = match one.guarded {
                Guarded::Group(_) => Some(one.plugin),
                Guarded::Node(idx) if is_implied(idx) => plugin_of.get(&idx).copied(),
                Guarded::Node(idx) => Some(all.node(idx).plugin),
            };
            let Some(plugin) = plugin.filter(|_| is_implied(one.condition)) else {
                continue;
            };
            let known = plugin_of.get(&one.condition).copied();
            let common = known.map_or(plugin, |known| all.declared.common_plugin(known, plugin));
            has_changed |= known != Some(common);
            plugin_of.insert(one.condition, common);
        }
    }
    let plugins = plugin_of
        .into_iter()
        .map(|(condition, plugin)| (condition - n_declared, plugin));
    plugins.collect()
}

/// Checks that the node can give the answer that the leaf requires.
fn check(all: All<'_>, node: usize, leaf: &Leaf) -> Result<(), Problem> {
    let declared = all.node(node);
    let condition = all.place(node).clone();
    let location = leaf.location;
    if let LeafSystem::Type(wanted) = &leaf.system
        && declared.ty.is_some_and(|(ty, _)| ty != wanted.ty)
    {
        // The node matched by its identity, but it has a different type with the same identity.
        return Err(Problem::SameIdentity {
            first: condition,
            second: SystemPlace {
                name: wanted.reference.to_string(),
                location: wanted.definition.location(),
            },
        });
    }
    let branches = declared.system().and_then(|system| system.branches);
    let is_right = branches.is_some_and(|branches| branches.ty == leaf.branches.ty);
    if is_right && (leaf.index as usize) < leaf.branches.names.len() {
        return Ok(());
    }
    Err(Problem::WrongAnswer {
        condition,
        answers: branches.map(|branches| (branches.type_name)().to_string()),
        wanted: (leaf.branches.type_name)().to_string(),
        location,
    })
}

/// Turns faults of guards into problems.
struct Reporting<'a> {
    all: All<'a>,
    similar: Similar,
}

impl Reporting<'_> {
    fn problem(&self, guarded: Guarded, leaf: &Leaf, fault: ConditionFault) -> Problem {
        let place = |node: u32| self.all.place(node as usize).clone();
        let location = leaf.location;
        match fault {
            ConditionFault::Ambiguous(first) => Problem::Ambiguous {
                name: self.name(leaf),
                candidates: self.candidates_at_level(leaf, first),
                location,
            },
            ConditionFault::Deeper(node) => Problem::ConditionDeeper {
                condition: place(node),
                guarded: match guarded {
                    Guarded::Node(idx) => self.all.place(idx).clone(),
                    Guarded::Group(group) => SystemPlace {
                        name: group.to_string(),
                        location,
                    },
                },
                location,
            },
            ConditionFault::Missing => self.missing(leaf),
            ConditionFault::Itself(node) => Problem::GuardsItself {
                condition: place(node),
                location,
            },
            ConditionFault::Loop(node) => Problem::GuardIsLoop {
                condition: place(node),
                location,
            },
        }
    }

    /// Returns the name of a leaf's condition, as the leaf names it.
    fn name(&self, leaf: &Leaf) -> String {
        match &leaf.system {
            LeafSystem::Type(declaration) => declaration.reference.to_string(),
            LeafSystem::Own(own) => own.name.clone(),
            LeafSystem::Added(Target(Named::Node(id))) => match self.all.index_of(*id) {
                Some(idx) => self.all.place(idx).name.clone(),
                None => "node".to_string(),
            },
            LeafSystem::Added(Target(Named::Type(reference))) => reference.to_string(),
            LeafSystem::Added(Target(Named::Name(name))) => name.to_string(),
        }
    }

    /// Returns all nodes at the level of node `first` that the leaf may mean.
    fn candidates_at_level(&self, leaf: &Leaf, first: u32) -> Vec<SystemPlace> {
        let level = self.all.node(first as usize).level;
        let nodes = self
            .all
            .there()
            .filter(|(_, node)| node.level == level && node.implied.is_none());
        let is_meant = |node: &Declared| match &leaf.system {
            LeafSystem::Type(Declaration { reference, .. })
            | LeafSystem::Added(Target(Named::Type(reference))) => {
                !node.is_loop() && node.ty.is_some_and(|(_, id)| id == reference.id)
            }
            LeafSystem::Added(Target(Named::Name(name))) => node.is_called(name),
            LeafSystem::Added(Target(Named::Node(_))) | LeafSystem::Own(_) => false,
        };
        let nodes = nodes.filter(|(_, node)| is_meant(node));
        nodes.map(|(idx, _)| self.all.place(idx).clone()).collect()
    }

    fn missing(&self, leaf: &Leaf) -> Problem {
        let name = self.name(leaf);
        let location = leaf.location;
        if let LeafSystem::Added(target) = &leaf.system
            && let Some(problem) = removed(self.all, target, location)
        {
            return problem.named_by(NamedBy::RunCondition);
        }
        let nodes = self.all.there();
        let names = nodes.map(|(idx, node)| (self.all.place(idx).name.as_str(), node.module()));
        Problem::Dangling {
            nearest: self.similar.nearest(&name, names),
            same_name: None,
            name,
            named_by: NamedBy::RunCondition,
            location,
        }
    }
}
