//! From what was declared to numbers, to the verdict, and back to names.

use core::panic::Location;
use std::collections::HashMap;

use super::{Builder, Declared, Named, NodeId, Target};
use crate::access::{AccessSet, AllUse, ResourceId};
use crate::conflict::{Use, Uses};
use crate::failure::SystemPlace;
use crate::graph::SCRATCH_PER_NODE;
use crate::graph::edge::Edge;
use crate::graph::path::shortest_path;
use crate::order::{Reference, Strength};
use crate::plan::Plan;
use crate::policy::{Policy, Rules};
use crate::problem::{
    Accepted, BuildError, Cycle, OrderError, Problem, Race, RaceOn, Step, StepOrigin,
};
use crate::schedule::{Node, Schedule};
use crate::verify::{self, Lists, Origin, Question};

/// Verifies what was declared, and makes a schedule of it.
pub(super) fn build(mut builder: Builder) -> Result<Schedule, BuildError> {
    let name = builder.name.take();
    let name = name.unwrap_or_else(|| "schedule".to_string());
    let mut problems = core::mem::take(&mut builder.problems);
    let graph = Graph::new(&builder, &mut problems);
    let resources = Resources::number(&builder, &graph);
    let rules = Policies::number(&builder, &graph, &resources, &mut problems);
    let verdict = verify::verify(&Question {
        uses: resources.uses(),
        n_resources: resources.n_resources(),
        declared: &graph.edges,
        weak: &graph.weak,
        rules: rules.rules(),
    });
    let verdict = match verdict {
        Ok(verdict) if problems.is_empty() => verdict,
        Ok(_) => return Err(BuildError::new(name, problems)),
        Err(refusal) => {
            let names = Names {
                builder: &builder,
                graph: &graph,
                resources: &resources,
            };
            let cycles = refusal.cycles.iter();
            problems.extend(cycles.map(|cycle| Problem::Cycle(names.cycle(cycle))));
            let cycles = refusal.writers_first.iter();
            problems.extend(cycles.map(|cycle| Problem::WritersFirst(names.cycle(cycle))));
            let races = refusal.races.iter();
            problems.extend(races.map(|&(a, b)| Problem::Race(names.race(a, b))));
            return Err(BuildError::new(name, problems));
        }
    };
    let names = Names {
        builder: &builder,
        graph: &graph,
        resources: &resources,
    };
    let accepted = verdict.accepted.iter();
    let accepted = accepted.map(|&(a, b)| {
        let race = names.race(a, b);
        Accepted {
            reason: rules.reason(&resources, (a, b)),
            race,
        }
    });
    let accepted = accepted.collect();
    let plan = Plan::new(&verdict);
    let mut nodes: Vec<Node> = (0..graph.kinds.len())
        .map(|node| Node::checkpoint(graph.place(&builder, node as u32)))
        .collect();
    for (declared, &node) in builder.nodes.into_iter().zip(&graph.node_of) {
        if let Some(instance) = declared.instance {
            nodes[node as usize] = Node::new(declared.place, instance);
        }
    }
    Ok(Schedule::new(name, nodes, plan).accepting(accepted))
}

/// The problem with the order that was declared last, if it contradicts the others.
pub(super) fn contradiction(builder: &Builder) -> Option<OrderError> {
    let mut problems = Vec::new();
    let graph = Graph::new(builder, &mut problems);
    let last = builder.orders.last()?;
    // Of other problems, `build` tells.
    let own = problems.into_iter().find(|problem| match problem {
        Problem::Dangling { location, .. }
        | Problem::Ambiguous { location, .. }
        | Problem::GroupAgainstMember { location, .. } => *location == last.location,
        _ => false,
    });
    if let Some(problem) = own {
        return Some(OrderError(problem));
    }
    let n_nodes = graph.kinds.len();
    // Orders are resolved last, and in the order in which they were declared.
    let edge_idx = graph.edges.len().checked_sub(1)? as u32;
    let edge = graph.edges[edge_idx as usize];
    let lists = Lists::of_successors(n_nodes, &graph.edges);
    let mut scratch = vec![0; SCRATCH_PER_NODE * n_nodes];
    let mut path = vec![0; n_nodes];
    let path = shortest_path(lists.links(), edge.to, edge.from, &mut scratch, &mut path)?;
    let names = Names {
        builder,
        graph: &graph,
        resources: &Resources::default(),
    };
    let edges = path.iter().copied().chain([edge_idx]);
    let cycle: Vec<_> = edges
        .map(|edge| (graph.edges[edge as usize], Origin::Declared(edge)))
        .collect();
    Some(OrderError(Problem::Cycle(names.cycle(&cycle))))
}

/// Nodes and edges by number.
struct Graph {
    /// What each node is; len = n_nodes. Groups come just before their first member, so that the order of addition
    /// is kept.
    kinds: Vec<Kind>,
    /// `node_of[i]`: the node of the i-th of what was added.
    node_of: Vec<u32>,
    groups: Vec<GroupNodes>,
    edges: Vec<Edge>,
    /// `origins[i]`: where declared edge i comes from.
    origins: Vec<StepOrigin>,
    weak: Vec<Edge>,
    weak_locations: Vec<&'static Location<'static>>,
}

#[derive(Clone, Copy)]
enum Kind {
    Added(usize),
    GroupBegin(usize),
    GroupEnd(usize),
}

struct GroupNodes {
    reference: Reference,
    location: &'static Location<'static>,
    begin: u32,
    end: u32,
}

/// What a target fits.
#[derive(Clone, Copy)]
enum Found {
    Node(usize),
    Group(usize),
}

/// Where everything is, by identity and by name.
struct Index<'b> {
    builder: &'b Builder,
    by_id: HashMap<u128, Vec<Found>>,
    by_name: HashMap<&'b str, Vec<usize>>,
    group_names: Vec<String>,
}

impl<'b> Index<'b> {
    fn new(builder: &'b Builder, groups: &[(Reference, &'static Location<'static>)]) -> Self {
        let mut by_id: HashMap<u128, Vec<Found>> = HashMap::new();
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (idx, node) in builder.nodes.iter().enumerate() {
            if let Some((_, id)) = node.ty {
                by_id.entry(id).or_default().push(Found::Node(idx));
            }
        }
        // Names are asked for seldom, and there may be many nodes.
        let names_asked = |target: &Target| matches!(target.0, Named::Name(_));
        let is_asked = builder
            .orders
            .iter()
            .any(|order| names_asked(&order.first) || names_asked(&order.then))
            || builder
                .pair_policies
                .iter()
                .any(|(a, b, _)| names_asked(a) || names_asked(b));
        if is_asked {
            for (idx, node) in builder.nodes.iter().enumerate() {
                by_name.entry(&node.place.name).or_default().push(idx);
            }
        }
        for (idx, (reference, _)) in groups.iter().enumerate() {
            by_id
                .entry(reference.id)
                .or_default()
                .push(Found::Group(idx));
        }
        let group_names = groups.iter().map(|(group, _)| group.to_string()).collect();
        Self {
            builder,
            by_id,
            by_name,
            group_names,
        }
    }

    /// What the target is; a problem if it is nothing, or several things.
    fn find(
        &self,
        target: &Target,
        location: &'static Location<'static>,
    ) -> Result<Found, Problem> {
        let found: Vec<Found> = match &target.0 {
            Named::Node(NodeId(idx)) if *idx < self.builder.nodes.len() => vec![Found::Node(*idx)],
            Named::Node(_) => Vec::new(),
            Named::Type(reference) => self.by_id.get(&reference.id).cloned().unwrap_or_default(),
            Named::Name(name) => {
                let nodes = self.by_name.get(name.as_str()).into_iter().flatten();
                nodes.map(|&idx| Found::Node(idx)).collect()
            }
        };
        let name = || match &target.0 {
            Named::Node(NodeId(idx)) => format!("node {idx}"),
            Named::Type(reference) => reference.to_string(),
            Named::Name(name) => name.clone(),
        };
        match found.as_slice() {
            [only] => Ok(*only),
            [] => Err(Problem::Dangling {
                nearest: self.nearest(&name()),
                name: name(),
                location,
            }),
            several => Err(Problem::Ambiguous {
                name: name(),
                candidates: several
                    .iter()
                    .filter_map(|found| match found {
                        Found::Node(idx) => Some(self.builder.nodes[*idx].place.clone()),
                        Found::Group(_) => None,
                    })
                    .collect(),
                location,
            }),
        }
    }

    /// The name that was added and is most like this one, if any is like it.
    fn nearest(&self, name: &str) -> Option<String> {
        const LIKE: f64 = 0.6;
        let nodes = self.builder.nodes.iter().map(|node| &node.place.name);
        let names = nodes.chain(&self.group_names);
        let scored =
            names.map(|other| (strsim::normalized_damerau_levenshtein(name, other), other));
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)));
        best.filter(|(score, _)| *score >= LIKE)
            .map(|(_, name)| name.clone())
    }
}

impl Graph {
    fn new(builder: &Builder, problems: &mut Vec<Problem>) -> Self {
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
        let parents = parents(groups.len(), &members);
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

        for order in &builder.orders {
            let found =
                [&order.first, &order.then].map(|target| index.find(target, order.location));
            let (first, then) = match found {
                [Ok(first), Ok(then)] => (first, then),
                found => {
                    for problem in found.into_iter().filter_map(Result::err) {
                        let is_absent = matches!(problem, Problem::Dangling { .. });
                        if !(is_absent && order.strength != Strength::Always) {
                            problems.push(problem);
                        }
                    }
                    continue;
                }
            };
            if let Some((group, member)) = against_member(first, then, &parents, &members) {
                problems.push(Problem::GroupAgainstMember {
                    group: groups[group].0.to_string(),
                    member: match member {
                        Found::Node(idx) => builder.nodes[idx].place.name.clone(),
                        Found::Group(idx) => groups[idx].0.to_string(),
                    },
                    location: order.location,
                });
                continue;
            }
            if order.strength == Strength::IfConflicting {
                for from in graph.all_of(first, &members) {
                    for to in graph.all_of(then, &members) {
                        graph.weak.push(Edge { from, to });
                        graph.weak_locations.push(order.location);
                    }
                }
            } else {
                let (from, to) = (graph.ends(first).1, graph.ends(then).0);
                graph.push(from, to, StepOrigin::Declared(order.location));
            }
        }
        graph
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

    /// Which of those added a system is.
    fn added(&self, node: u32) -> NodeId {
        match self.kinds[node as usize] {
            Kind::Added(idx) => NodeId(idx),
            Kind::GroupBegin(_) | Kind::GroupEnd(_) => unreachable!("a group touches nothing"),
        }
    }

    fn place(&self, builder: &Builder, node: u32) -> SystemPlace {
        match self.kinds[node as usize] {
            Kind::Added(idx) => builder.nodes[idx].place.clone(),
            Kind::GroupBegin(group) | Kind::GroupEnd(group) => {
                let GroupNodes {
                    reference,
                    location,
                    ..
                } = &self.groups[group];
                SystemPlace {
                    name: reference.to_string(),
                    location,
                }
            }
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

/// `parents[g]`: the groups that group g is directly in.
fn parents(
    n_groups: usize,
    members: &[(Found, usize, &'static Location<'static>)],
) -> Vec<Vec<usize>> {
    let mut parents = vec![Vec::new(); n_groups];
    for &(member, group, _) in members {
        if let Found::Group(member) = member {
            parents[member].push(group);
        }
    }
    parents
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

/// The group and the member, if one of these is a group and the other is in it.
fn against_member(
    first: Found,
    then: Found,
    parents: &[Vec<usize>],
    members: &[(Found, usize, &'static Location<'static>)],
) -> Option<(usize, Found)> {
    let is_in = |member: Found, group: usize| {
        let mut open: Vec<usize> = match member {
            Found::Node(idx) => {
                let of =
                    |one: &&(Found, usize, _)| matches!(one.0, Found::Node(node) if node == idx);
                members.iter().filter(of).map(|one| one.1).collect()
            }
            Found::Group(idx) => parents[idx].clone(),
        };
        let mut is_seen = vec![false; parents.len()];
        while let Some(holder) = open.pop() {
            if holder == group {
                return true;
            }
            if !core::mem::replace(&mut is_seen[holder], true) {
                open.extend(&parents[holder]);
            }
        }
        false
    };
    match (first, then) {
        (Found::Group(group), member) if is_in(member, group) => Some((group, member)),
        (member, Found::Group(group)) if is_in(member, group) => Some((group, member)),
        _ => None,
    }
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

/// Resources by number, and who uses them.
#[derive(Default)]
struct Resources {
    ids: Vec<ResourceId>,
    number_of: HashMap<ResourceId, u32>,
    /// What nodes that touch everything conflict on besides.
    n_extra: usize,
    starts: Vec<u32>,
    uses: Vec<Use>,
}

impl Resources {
    fn number(builder: &Builder, graph: &Graph) -> Self {
        let mut resources = Self::default();
        let accesses: Vec<Option<&AccessSet>> = graph
            .kinds
            .iter()
            .map(|kind| match kind {
                Kind::Added(idx) => builder.nodes[*idx]
                    .instance
                    .as_ref()
                    .map(|one| one.access()),
                _ => None,
            })
            .collect();
        let mut has_all = false;
        let mut has_exclusive = false;
        for access in accesses.iter().flatten() {
            has_all |= access.all.is_some();
            has_exclusive |= access.is_exclusive;
            if has_all {
                break;
            }
        }
        // Where a node touches everything, all that there is must be known before the uses are written out.
        if has_all {
            has_exclusive = accesses.iter().flatten().any(|access| access.is_exclusive);
            for one in accesses.iter().flatten().flat_map(|access| &access.uses) {
                resources.number_of(&one.resource);
            }
        }

        resources.starts.push(0);
        for access in &accesses {
            let start = resources.uses.len();
            if let Some(access) = access {
                for one in &access.uses {
                    let resource = resources.number_of(&one.resource);
                    resources.uses.push(Use {
                        resource,
                        is_write: one.is_write,
                    });
                }
                if let Some(all) = &access.all {
                    resources.use_all(all, access.is_exclusive);
                }
                if has_exclusive {
                    resources.uses.push(Use {
                        resource: ALONE,
                        is_write: access.is_exclusive,
                    });
                }
            }
            merge(&mut resources.uses, start);
            resources.starts.push(resources.uses.len() as u32);
        }
        // The two that are no resources come after all that are.
        let n_ids = resources.ids.len() as u32;
        for one in &mut resources.uses {
            match one.resource {
                REST => one.resource = n_ids,
                ALONE => one.resource = n_ids + 1,
                _ => {}
            }
        }
        resources.n_extra = 2;
        resources
    }

    fn number_of(&mut self, resource: &ResourceId) -> u32 {
        if let Some(&number) = self.number_of.get(resource) {
            return number;
        }
        let number = self.ids.len() as u32;
        self.ids.push(resource.clone());
        self.number_of.insert(resource.clone(), number);
        number
    }

    fn use_all(&mut self, all: &AllUse, is_exclusive: bool) {
        for (number, resource) in (0..).zip(&self.ids) {
            if (!resource.is_main_thread() || is_exclusive) && !all.except.contains(resource) {
                self.uses.push(Use {
                    resource: number,
                    is_write: all.is_write,
                });
            }
        }
        self.uses.push(Use {
            resource: REST,
            is_write: all.is_write,
        });
    }

    fn uses(&self) -> Uses<'_> {
        Uses::new(&self.starts, &self.uses)
    }

    fn n_resources(&self) -> usize {
        self.ids.len() + self.n_extra
    }
}

/// Stands for all resources that nobody names.
const REST: u32 = u32::MAX - 1;
/// Stands for the right to run alone: an exclusive system writes it, every other one reads it.
const ALONE: u32 = u32::MAX;

/// Sorts the uses from `start` on by resource, and makes one of those of the same.
fn merge(uses: &mut Vec<Use>, start: usize) {
    let Some(own) = uses.get_mut(start..) else {
        return;
    };
    own.sort_unstable();
    let mut n_kept = 0;
    for idx in 0..own.len() {
        if n_kept > 0 && own[n_kept - 1].resource == own[idx].resource {
            own[n_kept - 1].is_write |= own[idx].is_write;
        } else {
            own[n_kept] = own[idx];
            n_kept += 1;
        }
    }
    uses.truncate(start + n_kept);
}

/// The policies by number.
struct Policies {
    schedule: Policy,
    resources: Vec<Option<Policy>>,
    pairs: Vec<(u32, u32, Policy)>,
    /// Why a resource, or a pair, is accepted.
    resource_reasons: HashMap<u32, String>,
    pair_reasons: HashMap<(u32, u32), String>,
}

impl Policies {
    fn number(
        builder: &Builder,
        graph: &Graph,
        resources: &Resources,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut policies = Self {
            schedule: builder.policy,
            resources: vec![None; resources.n_resources()],
            pairs: Vec::new(),
            resource_reasons: HashMap::new(),
            pair_reasons: HashMap::new(),
        };
        let mut chosen: HashMap<u32, &super::PolicyChoice> = HashMap::new();
        for (resource, choice) in &builder.resource_policies {
            // A resource that nobody touches needs no policy.
            let Some(&number) = resources.number_of.get(resource) else {
                continue;
            };
            match chosen.get(&number) {
                Some(first) if first.policy != choice.policy => {
                    problems.push(Problem::TwoPolicies {
                        subject: format!("resource `{resource}`"),
                        first: (first.policy, first.location),
                        second: (choice.policy, choice.location),
                    });
                }
                _ => {
                    chosen.insert(number, choice);
                    policies.resources[number as usize] = Some(choice.policy);
                    if let Some(reason) = &choice.reason {
                        policies.resource_reasons.insert(number, reason.clone());
                    }
                }
            }
        }
        if builder.pair_policies.is_empty() {
            return policies;
        }
        let groups: Vec<_> = graph
            .groups
            .iter()
            .map(|group| (group.reference, group.location))
            .collect();
        let index = Index::new(builder, &groups);
        let mut pairs: HashMap<(u32, u32), &super::PolicyChoice> = HashMap::new();
        for (one, other, choice) in &builder.pair_policies {
            let mut node = |target: &Target| match index.find(target, choice.location) {
                Ok(Found::Node(idx)) => Some((graph.node_of[idx], &builder.nodes[idx].place)),
                Ok(Found::Group(group)) => {
                    problems.push(Problem::Dangling {
                        name: format!("{} as a system", index.group_names[group]),
                        nearest: None,
                        location: choice.location,
                    });
                    None
                }
                Err(problem) => {
                    problems.push(problem);
                    None
                }
            };
            let (Some((a, a_place)), Some((b, b_place))) = (node(one), node(other)) else {
                continue;
            };
            match pairs.get(&(a.min(b), a.max(b))) {
                Some(first) if first.policy != choice.policy => {
                    problems.push(Problem::TwoPolicies {
                        subject: format!("the pair of {a_place} and {b_place}"),
                        first: (first.policy, first.location),
                        second: (choice.policy, choice.location),
                    });
                }
                _ => drop(pairs.insert((a.min(b), a.max(b)), choice)),
            }
        }
        for (&pair, choice) in &pairs {
            if let Some(reason) = &choice.reason {
                policies.pair_reasons.insert(pair, reason.clone());
            }
        }
        let numbered = pairs.iter().map(|(&(a, b), choice)| (a, b, choice.policy));
        policies.pairs = numbered.collect();
        policies.pairs.sort_unstable();
        policies
    }

    /// Why a pair is accepted: the reason given for it, or those of the resources on which it conflicts.
    fn reason(&self, resources: &Resources, pair: (u32, u32)) -> Option<String> {
        if let Some(reason) = self.pair_reasons.get(&pair) {
            return Some(reason.clone());
        }
        let mut reasons: Vec<&str> = Vec::new();
        let mut shared = resources.uses().shared(pair.0, pair.1);
        while let Some(conflict) = shared.next() {
            let reason = self.resource_reasons.get(&conflict.resource);
            reasons.extend(reason.map(String::as_str));
        }
        reasons.dedup();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            schedule: self.schedule,
            resources: &self.resources,
            pairs: &self.pairs,
        }
    }
}

/// Turns numbers back into names.
struct Names<'a> {
    builder: &'a Builder,
    graph: &'a Graph,
    resources: &'a Resources,
}

impl Names<'_> {
    fn cycle(&self, cycle: &[(Edge, Origin)]) -> Cycle {
        let steps = cycle.iter().map(|&(edge, origin)| Step {
            from: self.graph.place(self.builder, edge.from),
            to: self.graph.place(self.builder, edge.to),
            origin: match origin {
                Origin::Declared(edge) => self.graph.origins[edge as usize].clone(),
                Origin::Weak(edge) => StepOrigin::Weak(self.graph.weak_locations[edge as usize]),
                Origin::WritersFirst(resource) => StepOrigin::WritersFirst(self.resource(resource)),
                Origin::AsAdded(resource) => StepOrigin::AsAdded(self.resource(resource)),
            },
        });
        Cycle {
            steps: steps.collect(),
        }
    }

    fn resource(&self, number: u32) -> ResourceId {
        let known = self.resources.ids.get(number as usize);
        known
            .cloned()
            .unwrap_or_else(|| ResourceId::named("everything"))
    }

    fn race(&self, first: u32, second: u32) -> Race {
        let mut resources = Vec::new();
        let mut shared = self.resources.uses().shared(first, second);
        while let Some(conflict) = shared.next() {
            resources.push(RaceOn {
                resource: self.resources.ids.get(conflict.resource as usize).cloned(),
                first_writes: conflict.first_writes,
                second_writes: conflict.second_writes,
            });
        }
        Race {
            first: self.graph.place(self.builder, first),
            second: self.graph.place(self.builder, second),
            first_node: self.graph.added(first),
            second_node: self.graph.added(second),
            resources,
        }
    }
}
