//! What was added, as nodes and edges by number: groups become a begin and an end.

use core::panic::Location;
use std::collections::HashMap;

use super::index::{Found, Index};
use super::{Builder, Declared, DeclaredOrder, Named, Target};
use crate::graph::edge::Edge;
use crate::order::{Reference, Strength};
use crate::place::{NodeId, SystemPlace};
use crate::problem::{Problem, StepOrigin};
use crate::verify;

/// Nodes and edges by number.
pub(super) struct Graph {
    /// What each node is; len = n_nodes. Groups come just before their first member, so that the order of addition
    /// is kept.
    pub(super) kinds: Vec<Kind>,
    /// `node_of[i]`: the node of the i-th of what was added.
    pub(super) node_of: Vec<u32>,
    pub(super) groups: Vec<GroupNodes>,
    pub(super) edges: Vec<Edge>,
    /// `origins[i]`: where declared edge i comes from.
    pub(super) origins: Vec<StepOrigin>,
    pub(super) weak: Vec<Edge>,
    /// Groups that nothing is in.
    pub(super) empty_groups: Vec<usize>,
    pub(super) weak_locations: Vec<&'static Location<'static>>,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Added(usize),
    GroupBegin(usize),
    GroupEnd(usize),
}

pub(super) struct GroupNodes {
    pub(super) reference: Reference,
    pub(super) location: &'static Location<'static>,
    pub(super) begin: u32,
    pub(super) end: u32,
}

impl Graph {
    pub(super) fn new(builder: &Builder, problems: &mut Vec<Problem>) -> Self {
        let mut of_last = Vec::new();
        let graph = Self::split(builder, problems, &mut of_last);
        problems.append(&mut of_last);
        graph
    }

    /// The same, with the problems of the last order apart.
    pub(super) fn split(
        builder: &Builder,
        problems: &mut Vec<Problem>,
        of_last: &mut Vec<Problem>,
    ) -> Self {
        let groups = distinct_groups(builder);
        let index = Index::new(builder, &groups);
        problems.extend(same_identities(&builder.nodes));

        // Who is in which group; the location is that of the membership.
        let mut members: Vec<(Found, usize, &'static Location<'static>)> = Vec::new();
        for membership in &builder.memberships {
            let location = membership.location;
            let group = Target(Named::Type(membership.group));
            match (
                index.find(&membership.member, location),
                index.find(&group, location),
            ) {
                (Ok(member), Ok(Found::Group(group))) => members.push((member, group, location)),
                (member, group) => {
                    problems.extend([member.err(), group.err()].into_iter().flatten())
                }
            }
        }
        let holders = Holders::new(groups.len(), &members);
        let inside = groups_in_themselves(&groups, &members, problems);

        let mut graph = Self::numbered(builder, &groups, &members);
        for group in &graph.groups {
            graph.edges.push(Edge {
                from: group.begin,
                to: group.end,
            });
            graph.origins.push(StepOrigin::Group(None));
        }
        for &(member, group, location) in &members {
            if inside {
                break;
            }
            let (first, last) = graph.ends(member);
            let GroupNodes { begin, end, .. } = graph.groups[group];
            graph.push(begin, first, StepOrigin::Group(Some(location)));
            graph.push(last, end, StepOrigin::Group(Some(location)));
        }

        let known = Known {
            index: &index,
            holders: &holders,
            members: &members,
        };
        for (idx, order) in builder.orders.iter().enumerate() {
            let is_last = idx + 1 == builder.orders.len();
            let found = graph.declare(&known, order).err().into_iter().flatten();
            let to = if is_last {
                &mut *of_last
            } else {
                &mut *problems
            };
            to.extend(found);
        }
        graph.empty_groups = (0..groups.len())
            .filter(|&group| members.iter().all(|member| member.1 != group))
            .collect();
        graph
    }

    /// Adds what an order says, or tells what is wrong with it.
    fn declare(&mut self, known: &Known<'_>, order: &DeclaredOrder) -> Result<(), Vec<Problem>> {
        let targets = [&order.first, &order.then];
        let (first, then) = match targets.map(|target| known.index.find(target, order.location)) {
            [Ok(first), Ok(then)] => (first, then),
            found => {
                let may_be_absent = order.strength == Strength::IfPresent;
                let problems = found.into_iter().filter_map(Result::err);
                let problems = problems.filter(|problem| {
                    !(may_be_absent && matches!(problem, Problem::Dangling { .. }))
                });
                return Err(problems.collect());
            }
        };
        if let Some((group, member)) = known.holders.against_member(first, then) {
            return Err(vec![Problem::GroupAgainstMember {
                group: self.groups[group].reference.to_string(),
                member: known.index.name(member),
                location: order.location,
            }]);
        }
        if order.strength == Strength::IfConflicting {
            for from in self.all_of(first, known.members) {
                for to in self.all_of(then, known.members) {
                    self.weak.push(Edge { from, to });
                    self.weak_locations.push(order.location);
                }
            }
        } else {
            let (from, to) = (self.ends(first).1, self.ends(then).0);
            self.push(from, to, StepOrigin::Declared(order.location));
        }
        Ok(())
    }

    fn push(&mut self, from: u32, to: u32, origin: StepOrigin) {
        self.edges.push(Edge { from, to });
        self.origins.push(origin);
    }

    /// Gives every node its number.
    fn numbered(
        builder: &Builder,
        groups: &[(Reference, &'static Location<'static>)],
        members: &[(Found, usize, &'static Location<'static>)],
    ) -> Self {
        // The first member of each group, through the groups that it holds; as many passes as groups are deep.
        let mut first = vec![usize::MAX; groups.len()];
        for _ in 0..=groups.len() {
            let mut has_changed = false;
            for &(member, group, _) in members {
                let candidate = match member {
                    Found::Node(idx) => idx,
                    Found::Group(idx) => first[idx],
                };
                if candidate < first[group] {
                    first[group] = candidate;
                    has_changed = true;
                }
            }
            if !has_changed {
                break;
            }
        }
        let mut by_first: Vec<usize> = (0..groups.len()).collect();
        by_first.sort_by_key(|&group| first[group]);
        let mut waiting = by_first.into_iter().peekable();

        let mut kinds = Vec::with_capacity(builder.nodes.len() + 2 * groups.len());
        let mut node_of = Vec::with_capacity(builder.nodes.len());
        let mut ends = vec![(0, 0); groups.len()];
        for idx in 0..=builder.nodes.len() {
            let is_end = idx == builder.nodes.len();
            while let Some(group) = waiting.next_if(|&group| is_end || first[group] == idx) {
                let begin = kinds.len() as u32;
                kinds.extend([Kind::GroupBegin(group), Kind::GroupEnd(group)]);
                ends[group] = (begin, begin + 1);
            }
            if !is_end {
                node_of.push(kinds.len() as u32);
                kinds.push(Kind::Added(idx));
            }
        }
        let group_nodes = groups.iter().zip(ends);
        Self {
            kinds,
            node_of,
            groups: group_nodes
                .map(|(&(reference, location), (begin, end))| GroupNodes {
                    reference,
                    location,
                    begin,
                    end,
                })
                .collect(),
            edges: Vec::new(),
            origins: Vec::new(),
            weak: Vec::new(),
            weak_locations: Vec::new(),
            empty_groups: Vec::new(),
        }
    }

    /// The first and the last node of it.
    fn ends(&self, found: Found) -> (u32, u32) {
        match found {
            Found::Node(idx) => (self.node_of[idx], self.node_of[idx]),
            Found::Group(idx) => (self.groups[idx].begin, self.groups[idx].end),
        }
    }

    /// All systems in it.
    fn all_of(
        &self,
        found: Found,
        members: &[(Found, usize, &'static Location<'static>)],
    ) -> Vec<u32> {
        match found {
            Found::Node(idx) => vec![self.node_of[idx]],
            Found::Group(_) => {
                let mut nodes = Vec::new();
                let mut is_seen = vec![false; self.groups.len()];
                let mut open = vec![found];
                while let Some(found) = open.pop() {
                    match found {
                        Found::Node(idx) => nodes.push(self.node_of[idx]),
                        Found::Group(group) if !is_seen[group] => {
                            is_seen[group] = true;
                            let inside = members.iter().filter(|(_, holder, _)| *holder == group);
                            open.extend(inside.map(|(member, ..)| *member));
                        }
                        Found::Group(_) => {}
                    }
                }
                nodes.sort_unstable();
                nodes.dedup();
                nodes
            }
        }
    }

    /// The groups, and where each is first spoken of.
    pub(super) fn located_groups(&self) -> Vec<(Reference, &'static Location<'static>)> {
        let groups = self.groups.iter();
        groups
            .map(|group| (group.reference, group.location))
            .collect()
    }

    /// Which of those added a system is.
    pub(super) fn added(&self, node: u32) -> NodeId {
        match self.kinds[node as usize] {
            Kind::Added(idx) => NodeId(idx),
            Kind::GroupBegin(_) | Kind::GroupEnd(_) => unreachable!("a group touches nothing"),
        }
    }

    pub(super) fn place(&self, builder: &Builder, node: u32) -> SystemPlace {
        match self.kinds[node as usize] {
            Kind::Added(idx) => builder.nodes[idx].place.clone(),
            Kind::GroupBegin(group) | Kind::GroupEnd(group) => self.groups[group].place(),
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

/// Every group that is spoken of or has members, with the first place of it.
fn distinct_groups(builder: &Builder) -> Vec<(Reference, &'static Location<'static>)> {
    let mut groups: Vec<(Reference, &'static Location<'static>)> = Vec::new();
    let mut known = HashMap::new();
    let added = builder
        .groups
        .iter()
        .map(|group| (group.reference, group.location));
    let joined = builder
        .memberships
        .iter()
        .map(|one| (one.group, one.location));
    for (reference, location) in added.chain(joined) {
        known.entry(reference.id).or_insert_with(|| {
            groups.push((reference, location));
        });
    }
    groups
}

/// What the orders are read with.
struct Known<'a> {
    index: &'a Index<'a>,
    holders: &'a Holders,
    members: &'a [(Found, usize, &'static Location<'static>)],
}

/// The groups that something is directly in.
struct Holders {
    /// `of_groups[g]`: those of group g.
    of_groups: Vec<Vec<usize>>,
    of_nodes: HashMap<usize, Vec<usize>>,
}

impl Holders {
    fn new(n_groups: usize, members: &[(Found, usize, &'static Location<'static>)]) -> Self {
        let mut holders = Self {
            of_groups: vec![Vec::new(); n_groups],
            of_nodes: HashMap::new(),
        };
        for &(member, group, _) in members {
            match member {
                Found::Node(node) => holders.of_nodes.entry(node).or_default().push(group),
                Found::Group(member) => holders.of_groups[member].push(group),
            }
        }
        holders
    }

    /// Whether it is in the group, directly or through others. O(groups around it).
    fn is_in(&self, member: Found, group: usize) -> bool {
        let mut open: Vec<usize> = match member {
            Found::Node(node) => self.of_nodes.get(&node).cloned().unwrap_or_default(),
            Found::Group(member) => self.of_groups[member].clone(),
        };
        let mut is_seen = vec![false; self.of_groups.len()];
        while let Some(holder) = open.pop() {
            if holder == group {
                return true;
            }
            if !core::mem::replace(&mut is_seen[holder], true) {
                open.extend(&self.of_groups[holder]);
            }
        }
        false
    }

    /// The group and the member, if one of these is a group and the other is in it.
    fn against_member(&self, first: Found, then: Found) -> Option<(usize, Found)> {
        match (first, then) {
            (Found::Group(group), member) if self.is_in(member, group) => Some((group, member)),
            (member, Found::Group(group)) if self.is_in(member, group) => Some((group, member)),
            _ => None,
        }
    }
}

/// Tells of groups inside themselves, one cycle for each tangle of them; returns whether there is any.
fn groups_in_themselves(
    groups: &[(Reference, &'static Location<'static>)],
    members: &[(Found, usize, &'static Location<'static>)],
    problems: &mut Vec<Problem>,
) -> bool {
    let mut edges = Vec::new();
    let mut locations = Vec::new();
    for &(member, group, location) in members {
        if let Found::Group(member) = member {
            edges.push(Edge {
                from: member as u32,
                to: group as u32,
            });
            locations.push(location);
        }
    }
    let cycles = verify::cycles(groups.len(), &edges);
    for cycle in &cycles {
        let names = cycle.iter().map(|&edge| edges[edge as usize].from);
        problems.push(Problem::GroupInItself {
            groups: names
                .map(|group| groups[group as usize].0.to_string())
                .collect(),
            location: locations[*cycle.last().expect("a cycle has an edge") as usize],
        });
    }
    !cycles.is_empty()
}

/// The types that cannot be told apart, each once. O(nodes).
fn same_identities(nodes: &[Declared]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen: HashMap<u128, Vec<&Declared>> = HashMap::new();
    for node in nodes {
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
