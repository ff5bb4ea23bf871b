//! Numbered nodes and edges of the declarations. Each group and each loop becomes a begin node and an end node.
//!
//! This module replaces names by numbers. The crate `schedule-graph` makes the graph from the numbers.

mod inherited;

use core::panic::Location;
use std::collections::HashMap;

use schedule_graph::Edge;
use schedule_graph::internal::{
    self, EdgeOrigin, Groups, GroupsMemory, Heap, Item, Levels, Lowered, Member, NO_LOOP, Needed,
    Needs, NodeKind, OrderFault, Origin,
};

use super::All;
use super::commands::leaf_key;
use super::guards::{Conditions, ResolvedLeaf};
use super::index::{Found, Index};
use super::members::{LocatedGroup, Members, distinct_groups};
use super::naming::empty_names;
use super::numbered::Numbered;
use super::same_identity::same_identities;
use crate::base::formula::Formula;
use crate::base::place::SystemPlace;
use crate::data::order::{Reference, Strength};
use crate::declare::declarations::{DeclaredOrder, DeclaredWork};
use crate::declare::problem::{NamedBy, Problem, StepOrigin};
use crate::verify::plan::PlannedSyncPoint;

/// Nodes and edges by number.
pub(crate) struct Graph {
    /// The kind of each node, len = n_nodes. In the order of addition, except that a group precedes its first member, and an implied
    /// condition precedes the first node that it guards.
    pub(crate) kinds: Vec<NumberedKind>,
    /// `node_of[i]`: the node of declared node i. For a loop, its begin node.
    pub(crate) node_of: Vec<u32>,
    pub(crate) groups: Vec<GroupNodes>,
    pub(crate) members: Members,
    pub(crate) edges: Vec<Edge>,
    /// `origins[i]`: the origin of declared edge i.
    pub(crate) origins: Vec<StepOrigin>,
    /// The edge of the order that was declared last.
    pub(super) last_order: Option<u32>,
    /// Weak orders. A weak order on a group uses two extra nodes with the highest numbers: one before the nodes of the group, and one after
    /// them.
    pub(crate) weak: Vec<Edge>,
    /// `weak_orders[i]`: the index of the declared order of weak edge i. `None` for an edge between a group and its members.
    pub(crate) weak_orders: Vec<Option<usize>>,
    /// `weak_groups[i]`: the group of the i-th node after the nodes of `kinds`.
    weak_groups: Vec<usize>,
    /// Groups without members.
    pub(super) empty_groups: Vec<usize>,
    /// `order_edges[e]`: the index of the declared order of edge e.
    pub(crate) order_edges: HashMap<u32, usize>,
    /// `codes[v]`: the code of the kind of node v, including the nodes for weak orders.
    pub(super) codes: Vec<u32>,
    guards: NodeGuards,
    loops: LoopNodes,
    needs: NodeNeeds,
    /// See [`VerifyInput::roles`](internal::VerifyInput::roles).
    pub(super) roles: Vec<u32>,
    /// The places of the inserted sync points.
    sync_points: Vec<SystemPlace>,
}

#[derive(Clone, Copy)]
pub(crate) enum NumberedKind {
    /// A declared node. For a loop, its begin node.
    Added(usize),
    LoopEnd(usize),
    GroupBegin(usize),
    GroupEnd(usize),
    /// An inserted sync point, by index. These nodes follow all others.
    SyncPoint(usize),
}

pub(crate) struct GroupNodes {
    pub(crate) reference: Reference,
    pub(super) location: &'static Location<'static>,
    pub(crate) begin: u32,
    pub(super) end: u32,
}

/// The guards of each declared node, as indices of [`Conditions::guards`].
#[derive(Default)]
struct NodeGuards {
    /// `starts[i]..starts[i + 1]`: the range in `guards` of declared node i.
    starts: Vec<u32>,
    guards: Vec<u32>,
    /// Each condition, and a guard of a group that it inherits.
    inherited: Vec<(u32, u32)>,
}

/// The memory of [`Levels`].
#[derive(Default)]
struct LoopNodes {
    loops: Vec<Edge>,
    around: Vec<u32>,
    own: Vec<u32>,
}

/// The memory of [`Needs`].
#[derive(Default)]
struct NodeNeeds {
    starts: Vec<u32>,
    needed: Vec<Needed>,
    table_starts: Vec<u32>,
    tables: Vec<u32>,
}

/// The orders whose targets both matched.
#[derive(Default)]
struct Orders {
    orders: Vec<internal::Order>,
    /// `declared[i]`: the index of the declared order that order i comes from.
    declared: Vec<usize>,
    /// `locations[i]`: the location where order i was declared.
    locations: Vec<&'static Location<'static>>,
    /// The problems of the other orders, with the index of the declared order.
    problems: Vec<(usize, Problem)>,
}

impl Graph {
    pub(crate) fn new(all: All<'_>, conditions: &Conditions, problems: &mut Vec<Problem>) -> Self {
        let mut of_last = Vec::new();
        let last = all.n_orders().saturating_sub(1);
        let graph = Self::split(all, conditions, last, problems, &mut of_last);
        problems.append(&mut of_last);
        graph
    }

    /// Like [`new`](Self::new), but adds the problems of order `last_order` to `of_last`.
    pub(super) fn split(
        all: All<'_>,
        conditions: &Conditions,
        last_order: usize,
        problems: &mut Vec<Problem>,
        of_last: &mut Vec<Problem>,
    ) -> Self {
        let spoken = distinct_groups(all);
        let index = Index::new(all, &spoken);
        problems.extend(empty_names(all));
        problems.extend(same_identities(all));
        problems.extend(same_group_names(&spoken));
        let located = Members::resolve(all, &index, problems);
        let numbered = located.iter().map(|&(member, group, _)| Member {
            item: item(member),
            group: group as u32,
        });
        let numbered: Vec<Member> = numbered.collect();
        let declared = Numbered::new(all, &spoken);
        let declared = declared.of(&numbered);
        let extent = (all.n_nodes(), spoken.len(), numbered.len());
        let mut heap = Heap::of(|arena| GroupsMemory::take(arena, extent.0, extent.1, extent.2));
        let memory = GroupsMemory::take(&mut heap.arena(), extent.0, extent.1, extent.2);
        let groups = Groups::new(declared, memory);
        let members = Members::new(all, &index, &spoken, located, &groups, problems);
        let mut orders = Orders::resolve(all, &index);
        let mut order_problems = core::mem::take(&mut orders.problems);
        let graph = conditions.lower(&groups, &orders.orders, |lowered| {
            let faults = (0..lowered.n_faults()).map(|nth| lowered.fault(nth));
            for (order, fault) in faults {
                let declared = orders.declared[order];
                let location = all.order(declared).location;
                let problem = match fault {
                    OrderFault::Member { group, member } => Problem::GroupAgainstMember {
                        group: spoken[group as usize].0.to_string(),
                        member: index.place(found(member)).name,
                        location,
                    },
                    OrderFault::Loop { repeat, node } => Problem::LoopAgainstBody {
                        repeat: index.place(found(repeat)),
                        node: index.place(found(node)),
                        location,
                    },
                };
                order_problems.push((declared, problem));
            }
            Self::of(lowered, conditions, &spoken, members, &orders, last_order)
        });
        order_problems.sort_by_key(|(order, _)| *order);
        for (order, problem) in order_problems {
            if order == last_order {
                of_last.push(problem)
            } else {
                problems.push(problem)
            }
        }
        graph
    }

    /// Adds the sync points that were inserted into the verified graph. Removes the nodes for weak orders, which a plan does not have.
    pub(crate) fn add_sync_points(&mut self, sync_points: &[PlannedSyncPoint]) {
        self.weak_groups.clear();
        let n_planned = self.kinds.len();
        let starts = [&mut self.needs.starts, &mut self.needs.table_starts];
        for starts in starts {
            starts.truncate(n_planned + 1);
            let end = starts.last().copied().unwrap_or(0);
            if !starts.is_empty() {
                starts.resize(n_planned + 1 + sync_points.len(), end);
            }
        }
        let has_loops = !self.loops.loops.is_empty();
        self.loops.around.truncate(n_planned);
        self.loops.own.truncate(n_planned);
        for (idx, sync_point) in sync_points.iter().enumerate() {
            self.kinds.push(NumberedKind::SyncPoint(idx));
            self.sync_points.push(sync_point.place.clone());
            if has_loops {
                self.loops.around.push(sync_point.enclosing_loop);
                self.loops.own.push(NO_LOOP);
            }
        }
    }

    /// Returns, for each node, whether it has no work.
    pub(crate) fn is_idle(&self, all: All<'_>) -> Vec<bool> {
        let is_idle = |kind: &NumberedKind| match *kind {
            NumberedKind::Added(idx) => matches!(all.node(idx).work, DeclaredWork::Checkpoint),
            NumberedKind::GroupBegin(_) | NumberedKind::GroupEnd(_) => true,
            NumberedKind::LoopEnd(_) | NumberedKind::SyncPoint(_) => false,
        };
        self.kinds.iter().map(is_idle).collect()
    }

    /// Returns the node of an inserted sync point.
    pub(crate) fn node_of_sync_point(&self, idx: usize) -> u32 {
        (self.kinds.len() - self.sync_points.len() + idx) as u32
    }

    /// Returns the begin of the loop around a node.
    pub(crate) fn enclosing_loop(&self, node: u32) -> Option<u32> {
        let levels = self.levels();
        match levels.around(node) {
            NO_LOOP => None,
            idx => Some(levels.loops[idx as usize].from),
        }
    }

    /// Returns the origin of an edge. Indices of weak edges follow those of declared edges.
    pub(super) fn origin(&self, edge: u32) -> Origin {
        match edge.checked_sub(self.edges.len() as u32) {
            Some(weak) => Origin::Weak(weak),
            None => Origin::Declared(edge),
        }
    }

    /// Copies the numbers of a lowered graph.
    fn of(
        lowered: &Lowered<'_>,
        conditions: &Conditions,
        spoken: &[LocatedGroup],
        members: Members,
        orders: &Orders,
        last_order: usize,
    ) -> Self {
        let kind = |node: u32| match lowered.kind(node) {
            NodeKind::Declared(idx) => NumberedKind::Added(idx as usize),
            NodeKind::LoopEnd(idx) => NumberedKind::LoopEnd(idx as usize),
            NodeKind::GroupBegin(group) => NumberedKind::GroupBegin(group as usize),
            NodeKind::GroupEnd(group) => NumberedKind::GroupEnd(group as usize),
            NodeKind::WeakBegin(_) | NodeKind::WeakEnd(_) => {
                unreachable!("these come after all others")
            }
        };
        let (n_planned, n_nodes) = (lowered.n_planned() as u32, lowered.n_nodes() as u32);
        let weak_groups = (n_planned..n_nodes).map(|node| match lowered.kind(node).item() {
            Item::Group(group) => group as usize,
            Item::Node(_) => unreachable!("only groups have nodes for weak orders"),
        });
        let groups = (0..).zip(spoken).map(|(group, &(reference, location))| {
            let (begin, end) = lowered.ends(Item::Group(group));
            GroupNodes {
                reference,
                location,
                begin,
                end,
            }
        });
        let mut graph = Self {
            kinds: (0..n_planned).map(kind).collect(),
            node_of: lowered.nodes().to_vec(),
            groups: groups.collect(),
            edges: lowered.edges().to_vec(),
            origins: Vec::with_capacity(lowered.edges().len()),
            last_order: None,
            weak: lowered.weak().to_vec(),
            weak_orders: Vec::new(),
            weak_groups: weak_groups.collect(),
            empty_groups: (0..spoken.len())
                .filter(|&group| members.list.iter().all(|member| member.1 != group))
                .collect(),
            order_edges: HashMap::new(),
            codes: lowered.codes().to_vec(),
            guards: NodeGuards::of(lowered),
            loops: LoopNodes::of(lowered),
            needs: NodeNeeds {
                starts: lowered.needs().starts.to_vec(),
                needed: lowered.needs().needed.to_vec(),
                table_starts: lowered.needs().table_starts.to_vec(),
                tables: lowered.needs().tables.to_vec(),
            },
            roles: lowered.roles().to_vec(),
            sync_points: Vec::new(),
            members,
        };
        for edge in 0..graph.edges.len() {
            let origin = match lowered.origin(edge) {
                EdgeOrigin::Order(order) => {
                    let declared = orders.declared[order as usize];
                    graph.order_edges.insert(edge as u32, declared);
                    if declared == last_order {
                        graph.last_order = Some(edge as u32);
                    }
                    StepOrigin::Declared(orders.locations[order as usize])
                }
                EdgeOrigin::Member(member) => {
                    StepOrigin::Group(Some(graph.members.location(member as usize)))
                }
                EdgeOrigin::Group | EdgeOrigin::Inside => StepOrigin::Group(None),
                EdgeOrigin::Loop => StepOrigin::Loop,
                EdgeOrigin::Leaf(leaf) => {
                    StepOrigin::Guard(Some(conditions.location(leaf as usize)))
                }
                EdgeOrigin::Inherited(_) => StepOrigin::Guard(None),
                EdgeOrigin::ApplyCommands => StepOrigin::ApplyCommands,
                EdgeOrigin::Weak(_) => unreachable!("a weak edge is in another list"),
            };
            graph.origins.push(origin);
        }
        let weak = (0..graph.weak.len()).map(|edge| match lowered.weak_origin(edge) {
            EdgeOrigin::Weak(order) => Some(orders.declared[order as usize]),
            _ => None,
        });
        graph.weak_orders = weak.collect();
        graph
    }

    /// Returns the number of nodes without those for weak orders.
    pub(super) fn n_planned(&self) -> usize {
        self.kinds.len()
    }

    /// Returns the number of nodes, including the nodes for weak orders.
    pub(crate) fn n_nodes(&self) -> usize {
        self.kinds.len() + self.weak_groups.len()
    }

    /// Returns the edge that orders all of `first` before all of `then`.
    pub(crate) fn lifted(&self, first: Found, then: Found) -> Edge {
        let edge = Edge {
            from: self.ends(first).1,
            to: self.ends(then).0,
        };
        self.levels().lift(edge)
    }

    /// Returns the conditions that each node needs.
    pub(crate) fn needs(&self) -> Needs<'_> {
        Needs {
            starts: &self.needs.starts,
            needed: &self.needs.needed,
            table_starts: &self.needs.table_starts,
            tables: &self.needs.tables,
        }
    }

    /// Returns the condition under which a declared node runs, or `None` if it always runs.
    pub(super) fn formula<T>(
        &self,
        conditions: &Conditions,
        idx: usize,
        mut leaf: impl FnMut(&ResolvedLeaf) -> T,
    ) -> Option<Formula<T>> {
        let NodeGuards { starts, guards, .. } = &self.guards;
        let guards = &guards[starts[idx] as usize..starts[idx + 1] as usize];
        let formulas = guards.iter();
        let formulas =
            formulas.map(|&guard| conditions.guards[guard as usize].formula.map(&mut leaf));
        (!guards.is_empty()).then(|| Formula::all(formulas))
    }

    /// Whether a declared node has a guard, its own or that of a group.
    pub(super) fn is_guarded(&self, idx: usize) -> bool {
        self.guards.starts[idx] < self.guards.starts[idx + 1]
    }

    /// Returns the guards of a declared node, its own and those of its groups.
    pub(super) fn guards_of(
        &self,
        conditions: &Conditions,
        idx: usize,
    ) -> Vec<Formula<(usize, u32)>> {
        let NodeGuards { starts, guards, .. } = &self.guards;
        let guards = &guards[starts[idx] as usize..starts[idx + 1] as usize];
        let formula = |&guard: &u32| conditions.guards[guard as usize].formula.map(leaf_key);
        guards.iter().map(formula).collect()
    }

    /// `is_weak_order[e]`: whether weak edge e is a declared order.
    pub(crate) fn is_weak_order(&self) -> Vec<bool> {
        self.weak_orders.iter().map(Option::is_some).collect()
    }

    /// Returns the loop of each node.
    pub(crate) fn levels(&self) -> Levels<'_> {
        Levels {
            loops: &self.loops.loops,
            around: &self.loops.around,
            own: &self.loops.own,
        }
    }

    /// Returns the first and the last node of a match.
    pub(crate) fn ends(&self, found: Found) -> (u32, u32) {
        match found {
            Found::Node(idx) => {
                let begin = self.node_of[idx];
                match self.levels().own(begin) {
                    NO_LOOP => (begin, begin),
                    _ => (begin, begin + 1),
                }
            }
            Found::Group(idx) => (self.groups[idx].begin, self.groups[idx].end),
        }
    }

    /// Returns the groups, each with the location of its first occurrence.
    pub(crate) fn located_groups(&self) -> Vec<LocatedGroup> {
        let groups = self.groups.iter();
        groups
            .map(|group| (group.reference, group.location))
            .collect()
    }

    /// Returns the group of a node for weak orders, or `None` for any other node.
    pub(crate) fn weak_group(&self, node: u32) -> Option<usize> {
        let idx = (node as usize).checked_sub(self.kinds.len())?;
        self.weak_groups.get(idx).copied()
    }

    /// Returns the index of the declared node of a system or loop.
    pub(crate) fn added(&self, node: u32) -> usize {
        match self.kinds[node as usize] {
            NumberedKind::Added(idx) | NumberedKind::LoopEnd(idx) => idx,
            NumberedKind::GroupBegin(_)
            | NumberedKind::GroupEnd(_)
            | NumberedKind::SyncPoint(_) => {
                unreachable!("it touches nothing")
            }
        }
    }

    pub(crate) fn place(&self, all: All<'_>, node: u32) -> SystemPlace {
        if let Some(group) = self.weak_group(node) {
            return self.groups[group].place();
        }
        match self.kinds[node as usize] {
            NumberedKind::Added(idx) | NumberedKind::LoopEnd(idx) => all.place(idx).clone(),
            NumberedKind::GroupBegin(group) | NumberedKind::GroupEnd(group) => {
                self.groups[group].place()
            }
            NumberedKind::SyncPoint(idx) => self.sync_points[idx].clone(),
        }
    }
}

/// Converts a match to an item.
pub(super) fn item(found: Found) -> Item {
    match found {
        Found::Node(idx) => Item::Node(idx as u32),
        Found::Group(group) => Item::Group(group as u32),
    }
}

fn found(item: Item) -> Found {
    match item {
        Item::Node(idx) => Found::Node(idx as usize),
        Item::Group(group) => Found::Group(group as usize),
    }
}

impl Orders {
    fn resolve(all: All<'_>, index: &Index<'_>) -> Self {
        let mut resolved = Self::default();
        for (idx, order) in all.orders() {
            match targets(index, order) {
                Ok((first, then)) => {
                    resolved.orders.push(internal::Order {
                        first: item(first),
                        then: item(then),
                        strength: match order.strength {
                            Strength::IfConflicting => internal::Strength::Weak,
                            _ => internal::Strength::Strict,
                        },
                    });
                    resolved.declared.push(idx);
                    resolved.locations.push(order.location);
                }
                Err(problems) => {
                    let problems = problems.into_iter();
                    resolved
                        .problems
                        .extend(problems.map(|problem| (idx, problem)));
                }
            }
        }
        resolved
    }
}

/// Finds the two targets of an order, or returns their problems.
fn targets(index: &Index<'_>, order: &DeclaredOrder) -> Result<(Found, Found), Vec<Problem>> {
    let targets = [&order.first, &order.then];
    let found = match targets.map(|target| index.find(target, order.location)) {
        [Ok(first), Ok(then)] => return Ok((first, then)),
        found => found,
    };
    let may_be_absent = order.strength == Strength::IfPresent;
    let named_by = match order.strength {
        _ if index.is_state_change(order) => NamedBy::StateChange,
        Strength::IfConflicting => NamedBy::WeakOrder,
        _ => NamedBy::StrictOrder,
    };
    let problems = found
        .into_iter()
        .filter_map(Result::err)
        .map(|problem| problem.named_by(named_by));
    let is_absent = |problem: &Problem| {
        matches!(
            problem,
            Problem::Dangling { .. } | Problem::Removed { .. } | Problem::RemovedEarlier { .. }
        )
    };
    let problems = problems.filter(|problem| !(may_be_absent && is_absent(problem)));
    Err(problems.collect())
}

impl NodeGuards {
    fn of(lowered: &Lowered<'_>) -> Self {
        let guards = lowered.guards();
        let n_declared = lowered.nodes().len() as u32;
        let mut of = Self {
            starts: vec![0],
            guards: Vec::new(),
            inherited: inherited::pairs(guards.inherited()),
        };
        for idx in 0..n_declared {
            let positions = guards.start(idx)..guards.end(idx);
            of.guards
                .extend(positions.map(|position| guards.at(position)));
            of.starts.push(of.guards.len() as u32);
        }
        of
    }
}

impl LoopNodes {
    fn of(lowered: &Lowered<'_>) -> Self {
        let levels = lowered.levels();
        Self {
            loops: levels.loops.to_vec(),
            around: levels.around.to_vec(),
            own: levels.own.to_vec(),
        }
    }
}

impl GroupNodes {
    pub(crate) fn place(&self) -> SystemPlace {
        SystemPlace {
            name: self.reference.to_string(),
            location: self.location,
        }
    }
}

/// Finds the groups named by text whose name is also the name of a group type.
fn same_group_names(spoken: &[LocatedGroup]) -> Vec<Problem> {
    if spoken.iter().all(|(group, _)| group.module().is_some()) {
        return Vec::new();
    }
    let of_types = spoken.iter().filter(|(group, _)| group.module().is_some());
    let of_types: HashMap<String, &'static Location<'static>> = of_types
        .map(|(group, location)| (group.to_string(), *location))
        .collect();
    let of_texts = spoken.iter().filter(|(group, _)| group.module().is_none());
    let same = of_texts.filter_map(|(group, of_name)| {
        let name = group.to_string();
        let of_type = *of_types.get(&name)?;
        Some(Problem::SameGroupName {
            name,
            of_type,
            of_name,
        })
    });
    same.collect()
}
