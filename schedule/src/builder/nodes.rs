//! What was added, as nodes and edges by number: groups and loops become a begin and an end.

use core::panic::Location;
use std::collections::HashMap;

use super::guarded::{GuardsOf, NeedsOf};
use super::guards::{Conditions, Guarded};
use super::index::{Found, Index};
use super::members::{Members, Spoken, distinct_groups};
use super::{Builder, Declared, DeclaredOrder, Level};
use crate::order::{Reference, Strength};
use crate::place::{NodeId, SystemPlace};
use crate::problem::{NamedBy, Problem, StepOrigin};
use schedule_graph::Edge;
use schedule_graph::internal::{Levels, NO_LOOP};

/// Nodes and edges by number.
pub(super) struct Graph {
    /// What each node is; len = n_nodes. Groups come just before their first member, and conditions that nobody added
    /// just before the first that they guard, so that the order of addition is kept.
    pub(super) kinds: Vec<Kind>,
    /// `node_of[i]`: the node of the i-th of what was added; the begin of a loop.
    pub(super) node_of: Vec<u32>,
    pub(super) groups: Vec<GroupNodes>,
    pub(super) members: Members,
    pub(super) edges: Vec<Edge>,
    /// `origins[i]`: where declared edge i comes from.
    pub(super) origins: Vec<StepOrigin>,
    /// The edge of the order that was declared last.
    pub(super) last_order: Option<u32>,
    pub(super) weak: Vec<Edge>,
    pub(super) weak_locations: Vec<&'static Location<'static>>,
    /// Groups that nothing is in.
    pub(super) empty_groups: Vec<usize>,
    pub(super) guards_of: GuardsOf,
    loops: LoopNodes,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// One of those that were added; of a loop the begin.
    Added(usize),
    LoopEnd(usize),
    GroupBegin(usize),
    GroupEnd(usize),
}

pub(super) struct GroupNodes {
    pub(super) reference: Reference,
    pub(super) location: &'static Location<'static>,
    pub(super) begin: u32,
    pub(super) end: u32,
}

/// The memory of [`Levels`].
#[derive(Default)]
struct LoopNodes {
    loops: Vec<Edge>,
    around: Vec<u32>,
    own: Vec<u32>,
}

impl Graph {
    pub(super) fn new(
        builder: &Builder,
        conditions: &Conditions,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut of_last = Vec::new();
        let last = builder.orders.len().saturating_sub(1);
        let graph = Self::split(builder, conditions, last, problems, &mut of_last);
        problems.append(&mut of_last);
        graph
    }

    /// The same, with the problems of this order apart.
    pub(super) fn split(
        builder: &Builder,
        conditions: &Conditions,
        last_order: usize,
        problems: &mut Vec<Problem>,
        of_last: &mut Vec<Problem>,
    ) -> Self {
        let groups = distinct_groups(builder);
        let index = Index::new(builder, &groups);
        problems.extend(same_identities(builder));
        let members = Members::new(builder, &index, &groups, problems);

        let mut graph = Self::numbered(builder, conditions, &groups, members);
        graph.push_loops();
        for group in 0..graph.groups.len() {
            let GroupNodes { begin, end, .. } = graph.groups[group];
            graph.push(begin, end, StepOrigin::Group(None));
        }
        for idx in 0..graph.members.list.len() {
            if graph.members.is_tangled {
                break;
            }
            let (member, group, location) = graph.members.list[idx];
            let (first, last) = graph.ends(member);
            let GroupNodes { begin, end, .. } = graph.groups[group];
            graph.push(begin, first, StepOrigin::Group(Some(location)));
            graph.push(last, end, StepOrigin::Group(Some(location)));
        }
        for (idx, order) in builder.orders.iter().enumerate() {
            let n_edges = graph.edges.len();
            let found = graph.declare(&index, order).err().into_iter().flatten();
            if idx == last_order {
                of_last.extend(found);
                let has_edge = graph.edges.len() > n_edges;
                graph.last_order = has_edge.then_some(n_edges as u32);
            } else {
                problems.extend(found);
            }
        }
        graph.push_guards(builder, &index, conditions);
        graph.order_conditions_after_flushes(builder);
        graph.empty_groups = (0..groups.len())
            .filter(|&group| graph.members.list.iter().all(|member| member.1 != group))
            .collect();
        graph
    }

    /// Adds what an order says, or tells what is wrong with it.
    fn declare(&mut self, index: &Index<'_>, order: &DeclaredOrder) -> Result<(), Vec<Problem>> {
        let targets = [&order.first, &order.then];
        let (first, then) = match targets.map(|target| index.find(target, order.location)) {
            [Ok(first), Ok(then)] => (first, then),
            found => {
                let may_be_absent = order.strength == Strength::IfPresent;
                let named_by = match order.strength {
                    Strength::IfConflicting => NamedBy::WeakOrder,
                    _ => NamedBy::StrictOrder,
                };
                let problems = found.into_iter().filter_map(Result::err);
                let named_by = match index.is_state_change(order) {
                    true => NamedBy::StateChange,
                    false => named_by,
                };
                let problems = problems.map(|problem| problem.named_by(named_by));
                let is_absent = |problem: &Problem| {
                    matches!(problem, Problem::Dangling { .. } | Problem::Removed { .. })
                };
                let problems = problems.filter(|problem| !(may_be_absent && is_absent(problem)));
                return Err(problems.collect());
            }
        };
        if let Some((group, member)) = self.members.against_member(first, then) {
            return Err(vec![Problem::GroupAgainstMember {
                group: self.groups[group].reference.to_string(),
                member: index.place(member).name,
                location: order.location,
            }]);
        }
        let Edge { from, to } = self.lifted(first, then);
        if let Some((repeat, part)) = self.against_part((first, from), (then, to)) {
            return Err(vec![Problem::LoopAgainstPart {
                repeat: index.place(repeat),
                part: index.place(part),
                location: order.location,
            }]);
        }
        if order.strength == Strength::IfConflicting {
            for from in self.members.nodes(first) {
                for to in self.members.nodes(then) {
                    let edge = self.lifted(Found::Node(from), Found::Node(to));
                    self.weak.push(edge);
                    self.weak_locations.push(order.location);
                }
            }
        } else {
            self.push(from, to, StepOrigin::Declared(order.location));
        }
        Ok(())
    }

    /// The edge that puts all of one before all of the other.
    pub(super) fn lifted(&self, first: Found, then: Found) -> Edge {
        let edge = Edge {
            from: self.ends(first).1,
            to: self.ends(then).0,
        };
        self.levels().lift(edge)
    }

    /// The loop and the part of it, if an order of these two, lifted so, is one of a loop against its own part.
    fn against_part(&self, first: (Found, u32), then: (Found, u32)) -> Option<(Found, Found)> {
        let levels = self.levels();
        let own = levels.own(first.1);
        if own == NO_LOOP || own != levels.own(then.1) {
            return None;
        }
        let is_loop = |found: Found| levels.own(self.ends(found).0) == own;
        match (is_loop(first.0), is_loop(then.0)) {
            (true, false) => Some((first.0, then.0)),
            (false, true) => Some((then.0, first.0)),
            _ => None,
        }
    }

    fn push(&mut self, from: u32, to: u32, origin: StepOrigin) {
        self.edges.push(Edge { from, to });
        self.origins.push(origin);
    }

    /// From the begin of each loop to its parts, and from those to its end.
    fn push_loops(&mut self) {
        for idx in 0..self.loops.loops.len() {
            let Edge {
                from: begin,
                to: end,
            } = self.loops.loops[idx];
            self.push(begin, end, StepOrigin::Loop);
        }
        for node in 0..self.loops.around.len() as u32 {
            let around = self.loops.around[node as usize];
            if around != NO_LOOP {
                let Edge {
                    from: begin,
                    to: end,
                } = self.loops.loops[around as usize];
                self.push(begin, node, StepOrigin::Loop);
                self.push(node, end, StepOrigin::Loop);
            }
        }
    }

    /// From conditions to what they guard.
    fn push_guards(&mut self, builder: &Builder, index: &Index<'_>, conditions: &Conditions) {
        let guards = conditions.guards.iter();
        let guarded = guards.map(|resolved| match resolved.guarded {
            Guarded::Node(idx) => Some(Found::Node(idx)),
            Guarded::Group(reference) => index.group(reference),
        });
        let guarded: Vec<Option<Found>> = guarded.collect();
        self.guards_of = GuardsOf::new(builder, conditions, &guarded, &self.members);
        let own = guarded.iter().enumerate();
        let own = own.filter_map(|(guard, found)| Some((guard, (*found)?, true)));
        let inherited = self.guards_of.inherited.iter();
        let inherited = inherited.map(|&(node, guard)| (guard, Found::Node(node), false));
        for (guard, found, is_own) in own.chain(inherited).collect::<Vec<_>>() {
            conditions.guards[guard].formula.for_each_leaf(&mut |leaf| {
                let Edge { from, to } = self.lifted(Found::Node(leaf.node), found);
                self.push(from, to, StepOrigin::Guard(is_own.then_some(leaf.location)));
            });
        }
    }

    /// What each node needs to run.
    pub(super) fn needs(&self, builder: &Builder, conditions: &Conditions) -> NeedsOf {
        let added = self.kinds.iter().map(|kind| match kind {
            Kind::Added(idx) => Some(*idx),
            _ => None,
        });
        self.guards_of
            .needs(builder, conditions, added, &self.node_of)
    }

    /// Gives every node its number.
    fn numbered(
        builder: &Builder,
        conditions: &Conditions,
        groups: &[Spoken],
        members: Members,
    ) -> Self {
        let firsts = members.first_members(groups.len());
        let mut begins_at: HashMap<usize, Vec<usize>> = HashMap::new();
        for (group, &first) in firsts.iter().enumerate() {
            begins_at.entry(first).or_default().push(group);
        }

        let n_nodes = builder.nodes.len();
        let mut kinds = Vec::with_capacity(n_nodes + 2 * groups.len());
        let mut node_of = vec![0; n_nodes];
        let mut ends = vec![(0, 0); groups.len()];
        for idx in conditions.in_order(builder) {
            for group in begins_at.remove(&idx).into_iter().flatten() {
                ends[group] = push_pair(&mut kinds, Kind::GroupBegin(group), Kind::GroupEnd(group));
            }
            node_of[idx] = kinds.len() as u32;
            kinds.push(Kind::Added(idx));
            if builder.nodes[idx].is_loop() {
                kinds.push(Kind::LoopEnd(idx));
            }
        }
        for group in begins_at.into_values().flatten() {
            ends[group] = push_pair(&mut kinds, Kind::GroupBegin(group), Kind::GroupEnd(group));
        }
        let group_nodes = groups.iter().zip(ends);
        let group_nodes = group_nodes.map(|(&(reference, location), (begin, end))| GroupNodes {
            reference,
            location,
            begin,
            end,
        });
        Self {
            loops: LoopNodes::new(builder, &kinds, &node_of, &members),
            kinds,
            node_of,
            groups: group_nodes.collect(),
            members,
            edges: Vec::new(),
            origins: Vec::new(),
            last_order: None,
            weak: Vec::new(),
            weak_locations: Vec::new(),
            empty_groups: Vec::new(),
            guards_of: GuardsOf::default(),
        }
    }

    /// Which nodes are in which loop.
    pub(super) fn levels(&self) -> Levels<'_> {
        Levels {
            loops: &self.loops.loops,
            around: &self.loops.around,
            own: &self.loops.own,
        }
    }

    /// The first and the last node of it.
    pub(super) fn ends(&self, found: Found) -> (u32, u32) {
        match found {
            Found::Node(idx) => {
                let begin = self.node_of[idx];
                match self.levels().own(begin) {
                    NO_LOOP => (begin, begin),
                    own => {
                        let Edge { from, to } = self.loops.loops[own as usize];
                        (from, to)
                    }
                }
            }
            Found::Group(idx) => (self.groups[idx].begin, self.groups[idx].end),
        }
    }

    /// The groups, and where each is first spoken of.
    pub(super) fn located_groups(&self) -> Vec<Spoken> {
        let groups = self.groups.iter();
        groups
            .map(|group| (group.reference, group.location))
            .collect()
    }

    /// Which of those added a system is.
    pub(super) fn added(&self, node: u32) -> NodeId {
        match self.kinds[node as usize] {
            Kind::Added(idx) | Kind::LoopEnd(idx) => NodeId(idx),
            Kind::GroupBegin(_) | Kind::GroupEnd(_) => unreachable!("a group touches nothing"),
        }
    }

    pub(super) fn place(&self, builder: &Builder, node: u32) -> SystemPlace {
        match self.kinds[node as usize] {
            Kind::Added(idx) | Kind::LoopEnd(idx) => builder.nodes[idx].place.clone(),
            Kind::GroupBegin(group) | Kind::GroupEnd(group) => self.groups[group].place(),
        }
    }
}

/// Adds two nodes, and returns their numbers.
fn push_pair(kinds: &mut Vec<Kind>, begin: Kind, end: Kind) -> (u32, u32) {
    let number = kinds.len() as u32;
    kinds.extend([begin, end]);
    (number, number + 1)
}

impl LoopNodes {
    fn new(builder: &Builder, kinds: &[Kind], node_of: &[u32], members: &Members) -> Self {
        let loops = builder.there().filter(|(_, node)| node.is_loop());
        let loops: Vec<usize> = loops.map(|(idx, _)| idx).collect();
        if loops.is_empty() {
            return Self::default();
        }
        // They were added before what is in them.
        let number_of: HashMap<usize, u32> = loops.iter().copied().zip(0..).collect();
        let number = |level: Level| level.map_or(NO_LOOP, |idx| number_of[&idx]);
        let around = kinds.iter().map(|kind| match *kind {
            Kind::Added(idx) | Kind::LoopEnd(idx) => number(builder.nodes[idx].level),
            Kind::GroupBegin(group) | Kind::GroupEnd(group) => number(members.level(group)),
        });
        let own = kinds.iter().map(|kind| match kind {
            Kind::Added(idx) | Kind::LoopEnd(idx) => number_of.get(idx).copied(),
            Kind::GroupBegin(_) | Kind::GroupEnd(_) => None,
        });
        Self {
            loops: loops
                .iter()
                .map(|&idx| Edge {
                    from: node_of[idx],
                    to: node_of[idx] + 1,
                })
                .collect(),
            around: around.collect(),
            own: own.map(|own| own.unwrap_or(NO_LOOP)).collect(),
        }
    }
}

impl GroupNodes {
    pub(super) fn place(&self) -> SystemPlace {
        SystemPlace {
            name: self.reference.to_string(),
            location: self.location,
        }
    }
}

/// The types that cannot be told apart, each once. O(nodes).
fn same_identities(builder: &Builder) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen: HashMap<u128, Vec<&Declared>> = HashMap::new();
    for (_, node) in builder.there() {
        let Some((type_id, id)) = node.ty else {
            continue;
        };
        let known = seen.entry(id).or_default();
        if known
            .iter()
            .any(|known| known.ty.is_some_and(|ty| ty.0 == type_id))
        {
            continue;
        }
        if let Some(first) = known.first() {
            problems.push(Problem::SameIdentity {
                first: first.place.clone(),
                second: node.place.clone(),
            });
        }
        known.push(node);
    }
    problems
}
