//! Converts declarations and the verdict on them to a [`ScheduleGraph`].

use std::collections::{BTreeMap, HashMap, HashSet};

use super::built::BuiltNumbers;
use crate::base::formula::Formula;
use crate::data::access::{AccessKind, AccessSet, ResourceId, Storage};
use crate::data::output::answer_text;
use crate::data::target::Target;
use crate::declare::declarations::{DeclaredWork, PolicyChoice};
use crate::declare::graph::{self as view, PolicyOf, ScheduleGraph, SetPolicy, Touched};
use crate::declare::problem::{Accepted, StepOrigin};
use crate::verify::compile::{
    All, Conditions, Found, Graph, Guarded, Index, NumberedKind, NumberedResources, ResolvedLeaf,
};
use crate::verify::lock::occurrence;
use crate::verify::plan::Plan;
use schedule_graph::Edge;
use schedule_graph::Policy;
use schedule_graph::internal::fill_ranks;
use schedule_graph::internal::{Origin, Sweeps};
use schedule_graph::internal::{connected, reduce};

/// Returns a built schedule as data. `is_enabled(rank)`: whether the node of this rank is enabled. O(nodes × edges / 64).
pub(crate) fn graph_data(
    all: All<'_>,
    plan: &Plan,
    name: &str,
    accepted: &[Accepted],
    is_enabled: impl Fn(u32) -> bool,
) -> ScheduleGraph {
    let numbers = BuiltNumbers::of(all, plan);
    let graph = &numbers.graph;
    let source = numbers.source(all);
    let order = &plan.order;
    let ranked: Vec<(Edge, Origin)> = plan.edges().collect();
    let edges: Vec<Edge> = ranked.iter().map(|(edge, _)| *edge).collect();
    let kept = reduce(order.len(), &edges);
    let edges = ranked.iter().zip(kept).map(|(&(edge, origin), is_kept)| {
        let edge = Edge {
            from: order[edge.from as usize],
            to: order[edge.to as usize],
        };
        (edge, origin, !is_kept)
    });
    let mut data = source.schedule_graph(name, order, edges, accepted);
    data.is_built = true;
    let number_of = source.number_of(order);
    for (rank, &node) in (0..).zip(order) {
        if let NumberedKind::Added(_) = graph.kinds[node as usize] {
            data.nodes[number_of[node as usize]].is_enabled = is_enabled(rank);
        }
    }
    let sweeps = plan.sweeps.decided().into_iter().flat_map(Sweeps::iter);
    let number = |&rank: &u32| number_of[order[rank as usize] as usize];
    data.sweeps = sweeps
        .map(|members| members.iter().map(number).collect())
        .collect();
    let sync_points = (0..).zip(&plan.sync_points);
    data.sync_points = sync_points
        .map(|(idx, sync_point)| view::InsertedSyncPoint {
            node: number_of[graph.node_of_sync_point(idx) as usize],
            pairs: sync_point
                .pairs
                .iter()
                .map(|pair| view::CommandPair {
                    writer: number_of[pair.writer as usize],
                    user: number_of[pair.user as usize],
                    change: pair.change.to_string(),
                })
                .collect(),
        })
        .collect();
    data
}

/// The declarations as numbers, as far as names could be resolved.
pub(super) struct GraphSource<'a> {
    pub(super) all: All<'a>,
    pub(super) conditions: &'a Conditions,
    pub(super) graph: &'a Graph,
    pub(super) resources: &'a NumberedResources,
}

impl GraphSource<'_> {
    /// `edges`: each edge in node numbers of `self.graph`, its origin, and whether other edges imply it.
    pub(super) fn schedule_graph(
        &self,
        name: &str,
        order: &[u32],
        edges: impl Iterator<Item = (Edge, Origin, bool)>,
        accepted: &[Accepted],
    ) -> ScheduleGraph {
        let number_of = self.number_of(order);
        let mut data = ScheduleGraph::empty(name);
        data.nodes = self.nodes(order, &number_of);
        data.resources = self.all_resources();
        data.policies = self.policies(&number_of);
        data.accepted = accepted
            .iter()
            .map(|one| self.accepted(one, &number_of))
            .collect();
        let pairs = data.accepted.iter().map(|one| (one.first, one.then));
        let accepted: HashSet<(usize, usize)> = pairs.collect();
        data.edges = self.edges(order, edges, &number_of, &accepted);
        data
    }

    /// Returns, for each node of `self.graph`, its index in a result whose nodes are in this order. A begin and its end get the same index.
    pub(super) fn number_of(&self, order: &[u32]) -> Vec<usize> {
        let mut number_of = vec![usize::MAX; self.graph.n_nodes()];
        let mut n_nodes = 0;
        for &node in order {
            if let NumberedKind::Added(_)
            | NumberedKind::GroupBegin(_)
            | NumberedKind::SyncPoint(_) = self.graph.kinds[node as usize]
            {
                number_of[node as usize] = n_nodes;
                n_nodes += 1;
            }
        }
        for (node, kind) in self.graph.kinds.iter().enumerate() {
            number_of[node] = match *kind {
                NumberedKind::Added(_)
                | NumberedKind::GroupBegin(_)
                | NumberedKind::SyncPoint(_) => continue,
                NumberedKind::LoopEnd(idx) => number_of[self.graph.node_of[idx] as usize],
                NumberedKind::GroupEnd(group) => number_of[self.graph.groups[group].begin as usize],
            };
        }
        for node in self.graph.kinds.len()..number_of.len() {
            let group = self
                .graph
                .weak_group(node as u32)
                .expect("only groups have nodes for weak orders");
            number_of[node] = number_of[self.graph.groups[group].begin as usize];
        }
        number_of
    }

    fn nodes(&self, order: &[u32], number_of: &[usize]) -> Vec<view::Node> {
        let Self { all, graph, .. } = *self;
        let of_added = |idx: usize| number_of[graph.node_of[idx] as usize];
        let of_group = |group: usize| number_of[graph.groups[group].begin as usize];
        let mut groups_of: HashMap<Found, Vec<usize>> = HashMap::new();
        if !graph.members.has_group_cycle {
            for &(member, group, _) in &graph.members.list {
                groups_of.entry(member).or_default().push(of_group(group));
            }
        }
        let mut conditions = HashSet::new();
        let mut guards: HashMap<Found, Vec<Formula<String>>> = HashMap::new();
        let groups = graph
            .groups
            .iter()
            .enumerate()
            .map(|(idx, group)| (group.reference.id, idx));
        let idx_of_group: HashMap<u128, usize> = groups.collect();
        let nth = self.nth();
        let resolved_guards = self.conditions.guards.iter();
        for resolved in resolved_guards.filter(|guard| !guard.is_broken) {
            let guarded = match resolved.guarded {
                Guarded::Node(idx) => Found::Node(idx),
                Guarded::Group(reference) => match idx_of_group.get(&reference.id) {
                    Some(&group) => Found::Group(group),
                    None => continue,
                },
            };
            let formula = resolved.formula.map(|leaf| {
                conditions.insert(leaf.node);
                self.text_of(leaf, &nth)
            });
            guards.entry(guarded).or_default().push(formula);
        }
        let nodes = order.iter().filter_map(|&node| {
            let place = graph.place(all, node);
            let (found, kind, level, touched, is_added) = match graph.kinds[node as usize] {
                NumberedKind::LoopEnd(_) | NumberedKind::GroupEnd(_) => return None,
                NumberedKind::GroupBegin(group) => (
                    Some(Found::Group(group)),
                    view::Kind::Group,
                    graph.members.level(group).map(of_added),
                    Touched::default(),
                    true,
                ),
                NumberedKind::SyncPoint(_) => (
                    None,
                    view::Kind::ApplyCommands,
                    graph
                        .enclosing_loop(node)
                        .map(|begin| number_of[begin as usize]),
                    self.touched(&AccessSet::exclusive()),
                    false,
                ),
                NumberedKind::Added(idx) => {
                    let declared = all.node(idx);
                    let mut touched = match (&declared.work, declared.system()) {
                        (DeclaredWork::ApplyCommands, _) => self.touched(&AccessSet::exclusive()),
                        (_, Some(system)) => self.touched(&system.access),
                        (_, None) => Touched::default(),
                    };
                    touched.is_main_thread = declared.is_main_thread();
                    (
                        Some(Found::Node(idx)),
                        self.kind(idx, conditions.contains(&idx)),
                        declared.level.map(of_added),
                        touched,
                        declared.implied.is_none(),
                    )
                }
            };
            let guard = found.and_then(|found| guards.remove(&found));
            let mut groups = found
                .and_then(|found| groups_of.remove(&found))
                .unwrap_or_default();
            groups.sort_unstable();
            groups.dedup();
            Some(view::Node {
                name: place.name,
                nth: nth[node as usize],
                kind,
                place: place.location.into(),
                repeat: level,
                groups,
                guard: guard.map(|guard| Formula::all(guard).to_string()),
                touched,
                is_added,
                is_enabled: true,
            })
        });
        nodes.collect()
    }

    /// Returns, for each node, its occurrence number as in [`Occurrence`](crate::report::Occurrence).
    pub(super) fn nth(&self) -> Vec<usize> {
        let Self { all, graph, .. } = *self;
        let mut n_called: HashMap<(String, u8), usize> = HashMap::new();
        let kinds = (0..).zip(&graph.kinds);
        let nth = kinds.map(|(node, kind)| {
            let sort = match *kind {
                NumberedKind::Added(idx) => match all.node(idx).work {
                    DeclaredWork::Checkpoint => 1,
                    _ => 0,
                },
                NumberedKind::GroupBegin(_) => 2,
                NumberedKind::SyncPoint(_) => 0,
                NumberedKind::LoopEnd(_) | NumberedKind::GroupEnd(_) => return 0,
            };
            let name = graph.place(all, node).name;
            let n_called = n_called.entry((name, sort)).or_default();
            *n_called += 1;
            *n_called
        });
        nth.collect()
    }

    fn kind(&self, idx: usize, is_asked: bool) -> view::Kind {
        match &self.all.node(idx).work {
            DeclaredWork::Checkpoint => view::Kind::Checkpoint,
            DeclaredWork::ApplyCommands => view::Kind::ApplyCommands,
            DeclaredWork::Loop { at_most, .. } => view::Kind::Loop { at_most: *at_most },
            DeclaredWork::System(system) => match system.branches.map(|branches| branches.names) {
                Some(["false", "true"]) if is_asked => view::Kind::Condition,
                Some(names) if is_asked => view::Kind::Selector {
                    branches: names.iter().map(ToString::to_string).collect(),
                },
                _ => view::Kind::System,
            },
            DeclaredWork::Removed => unreachable!("it has no number"),
        }
    }

    /// Returns the text of a leaf: the condition and the required answer. `nth[node]`: the occurrence number of a node.
    fn text_of(&self, leaf: &ResolvedLeaf, nth: &[usize]) -> String {
        let declared = self.all.node(leaf.node);
        let branches = declared.system().and_then(|system| system.branches);
        let node = self.graph.node_of.get(leaf.node);
        let nth = node.and_then(|&node| nth.get(node as usize)).unwrap_or(&1);
        let name = occurrence(&self.all.place(leaf.node).name, *nth);
        answer_text(branches, &name, leaf.index)
    }

    fn touched(&self, access: &AccessSet) -> Touched {
        let numbers = |ids: &mut dyn Iterator<Item = &ResourceId>| -> Vec<usize> {
            let mut numbers: Vec<usize> = ids
                .filter_map(|id| self.resources.find(id))
                .map(|number| number as usize)
                .collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        let uses = |kind: AccessKind| access.uses.iter().filter(move |one| one.kind == kind);
        let writes = numbers(&mut uses(AccessKind::Write).map(|one| &one.resource));
        let folds = numbers(&mut uses(AccessKind::Fold).map(|one| &one.resource));
        let mut reads = numbers(&mut uses(AccessKind::Read).map(|one| &one.resource));
        reads.retain(|one| !writes.contains(one));
        let all_but = |is_write: bool| {
            let mut all = access.all.iter().filter(|all| all.is_write == is_write);
            Some(numbers(&mut all.next()?.except.iter()))
        };
        Touched {
            reads,
            writes,
            folds,
            inserts: access.inserts.iter().map(ToString::to_string).collect(),
            reads_all_but: all_but(false),
            writes_all_but: all_but(true),
            is_exclusive: access.is_exclusive,
            is_main_thread: access.is_main_thread,
        }
    }

    fn all_resources(&self) -> Vec<view::ResourceInfo> {
        let ids = self.resources.ids.iter().map(|id| view::ResourceInfo {
            name: id.to_string(),
            kind: match (id.text(), id.storage()) {
                (Some(_), _) => view::ResourceKind::Named,
                (None, Storage::MainThread) => view::ResourceKind::MainThread,
                (None, Storage::Entities) => view::ResourceKind::Component,
                (None, Storage::Deferred) => view::ResourceKind::Deferred,
                (None, Storage::Shared) => view::ResourceKind::Type,
            },
        });
        let others = [
            ("everything", view::ResourceKind::Everything),
            ("exclusive access", view::ResourceKind::Exclusive),
        ];
        let others = others.map(|(name, kind)| view::ResourceInfo {
            name: name.to_string(),
            kind,
        });
        ids.chain(others).collect()
    }

    fn policies(&self, number_of: &[usize]) -> Vec<SetPolicy> {
        let Self { all, graph, .. } = *self;
        let of_schedule = SetPolicy {
            policy: all.declared.rules.settings.policy.unwrap_or_default(),
            of: PolicyOf::Schedule,
            plugin: None,
            reason: None,
            place: None,
        };
        let chosen = |of: PolicyOf, plugin: Option<usize>, choice: &PolicyChoice| SetPolicy {
            policy: choice.policy,
            of,
            plugin,
            reason: choice.reason.clone(),
            place: Some(choice.location.into()),
        };
        let mut policies = vec![of_schedule];
        let plugins = all.declared.plugins.iter().map(|plugin| &plugin.rules);
        let plugins = plugins
            .enumerate()
            .map(|(plugin, rules)| (Some(plugin), rules));
        for (plugin, rules) in [(None, &all.declared.rules)].into_iter().chain(plugins) {
            let of_plugin = plugin.and(rules.settings.policy).map(|policy| SetPolicy {
                policy,
                plugin,
                ..policies[0].clone()
            });
            policies.extend(of_plugin);
            for (resource, choice) in &rules.resource_policies {
                let resource = self.resources.find(resource).map(|one| one as usize);
                policies
                    .extend(resource.map(|one| chosen(PolicyOf::Resource(one), plugin, choice)));
            }
        }
        if all.declared.pair_policies.is_empty() {
            return policies;
        }
        let groups = graph.located_groups();
        let index = Index::new(all, &groups);
        // The index of the listed choice for each pair. A later choice of the builder replaces it.
        let mut listed: HashMap<(usize, usize), usize> = HashMap::new();
        for (one, other, choice) in &all.declared.pair_policies {
            let node = |target: &Target| match index.find(target, choice.location) {
                Ok(Found::Node(idx)) => Some(number_of[graph.node_of[idx] as usize]),
                Ok(Found::Group(group)) => Some(number_of[graph.groups[group].begin as usize]),
                Err(_) => None,
            };
            if let (Some(a), Some(b)) = (node(one), node(other)) {
                let pair = (a.min(b), a.max(b));
                let policy = chosen(PolicyOf::Pair(pair.0, pair.1), None, choice);
                match listed.get(&pair) {
                    Some(&replaced) if !choice.is_listed => policies[replaced] = policy,
                    _ => {
                        if choice.is_listed {
                            listed.insert(pair, policies.len());
                        }
                        policies.push(policy);
                    }
                }
            }
        }
        policies
    }

    fn accepted(&self, accepted: &Accepted, number_of: &[usize]) -> view::AcceptedRace {
        let race = &accepted.race;
        let node = |id| self.graph.node_of[self.all.index_of_subject(id)];
        let (a, b) = (node(race.first_node), node(race.second_node));
        let numbers = [number_of[a as usize], number_of[b as usize]];
        view::AcceptedRace {
            // Accepted pairs run in insertion order, so the lower index runs first.
            first: numbers[0].min(numbers[1]),
            then: numbers[0].max(numbers[1]),
            resources: self.shared(a, b),
            reason: accepted.reason.clone(),
        }
    }

    /// Returns the begin of a loop for its end, because only the begin has the guards. Returns any other node itself.
    fn begin_of(&self, node: u32) -> u32 {
        match self.graph.kinds[node as usize] {
            NumberedKind::LoopEnd(idx) => self.graph.node_of[idx],
            _ => node,
        }
    }

    /// Returns the resources on which two nodes conflict.
    fn shared(&self, a: u32, b: u32) -> Vec<usize> {
        let mut resources = Vec::new();
        let mut shared = self.resources.uses().shared(a, b);
        while let Some(conflict) = shared.next() {
            resources.push(conflict.resource as usize);
        }
        // The numbers for unnamed resources and exclusive systems add nothing if a named resource is listed.
        let n_named = self.resources.ids.len();
        if resources.iter().any(|&one| one < n_named) {
            resources.retain(|&one| one < n_named);
        }
        resources
    }

    /// Merges the edges of each pair. Omits edges that only connect a loop or group with its contents.
    fn edges(
        &self,
        order: &[u32],
        edges: impl Iterator<Item = (Edge, Origin, bool)>,
        number_of: &[usize],
        accepted: &HashSet<(usize, usize)>,
    ) -> Vec<view::Edge> {
        let edges: Vec<(Edge, Origin, bool)> = edges.collect();
        let mut ranks = vec![0; order.len()];
        fill_ranks(order, &mut ranks);
        let is_redundant = redundant(&ranks, &edges);
        // The graph of a rejected schedule has no policy edges, and its guards may be broken.
        let needs = self.graph.needs();
        let mut merged: BTreeMap<(usize, usize), (Vec<view::Origin>, bool)> = BTreeMap::new();
        for ((edge, origin, is_implied), is_redundant) in edges.into_iter().zip(is_redundant) {
            if is_redundant {
                continue;
            }
            let pair = (number_of[edge.from as usize], number_of[edge.to as usize]);
            let policy = |policy: Policy, resource: u32| {
                let [a, b] = [edge.from, edge.to].map(|node| self.begin_of(node));
                match needs.excluding(a, b) {
                    Some(condition) => view::Origin::NeverBoth {
                        condition: number_of[condition as usize],
                    },
                    None => view::Origin::Policy {
                        policy,
                        resource: resource as usize,
                    },
                }
            };
            let origin = match origin {
                Origin::Declared(edge) => match &self.graph.origins[edge as usize] {
                    StepOrigin::Declared(location) => view::Origin::Declared {
                        place: (*location).into(),
                    },
                    StepOrigin::Guard(location) => view::Origin::Guard {
                        place: location.map(Into::into),
                    },
                    StepOrigin::ApplyCommands => view::Origin::Guard { place: None },
                    StepOrigin::Group(_) | StepOrigin::Loop => continue,
                    StepOrigin::Weak(_)
                    | StepOrigin::WritersFirst { .. }
                    | StepOrigin::InsertionOrder(_)
                    | StepOrigin::Optimize(_)
                    | StepOrigin::Commands
                    | StepOrigin::Accepted { .. } => unreachable!("these have no such declaration"),
                },
                Origin::Weak(edge) => match self.graph.weak_orders[edge as usize] {
                    Some(order) => view::Origin::Weak {
                        place: self.all.order(order).location.into(),
                    },
                    // This edge connects a group with its members.
                    None => continue,
                },
                Origin::WritersFirst(resource) => policy(Policy::WritersFirst, resource),
                Origin::InsertionOrder(resource) if accepted.contains(&pair) => {
                    policy(Policy::Accepted, resource)
                }
                Origin::InsertionOrder(resource) => policy(Policy::InsertionOrder, resource),
                Origin::Optimize(resource) => policy(Policy::Optimize, resource),
                Origin::Commands(_) => view::Origin::Commands,
            };
            let (origins, is_all_implied) = merged.entry(pair).or_insert((Vec::new(), true));
            *is_all_implied &= is_implied;
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        let merged = merged.into_iter();
        let edges = merged.map(|((from, to), (origins, is_implied))| view::Edge {
            from,
            to,
            origins,
            is_implied,
        });
        edges.collect()
    }
}

/// Returns whether each policy edge connects nodes that other edges already order. A policy connects all users of a resource.
///
/// `ranks[node]`: the rank of a node in a run. O(nodes × (nodes + edges) / 64).
fn redundant(ranks: &[u32], edges: &[(Edge, Origin, bool)]) -> Vec<bool> {
    let is_last =
        |origin: &Origin| matches!(origin, Origin::InsertionOrder(_) | Origin::Optimize(_));
    let ranked = |edge: &Edge| Edge {
        from: ranks[edge.from as usize],
        to: ranks[edge.to as usize],
    };
    let mut is_redundant = vec![false; edges.len()];
    let (last, earlier): (Vec<_>, Vec<_>) =
        (0..edges.len()).partition(|&edge| is_last(&edges[edge].1));
    // An inserted sync point says nothing about the pairs on its two sides.
    let is_order = |edge: &usize| !matches!(edges[*edge].1, Origin::Commands(_));
    let earlier: Vec<usize> = earlier.into_iter().filter(is_order).collect();
    if last.is_empty() {
        return is_redundant;
    }
    let [pairs, earlier] = [&last, &earlier].map(|some| {
        let edges = some.iter().map(|&edge| ranked(&edges[edge].0));
        edges.collect::<Vec<Edge>>()
    });
    let connected = connected(ranks.len(), &earlier, &pairs);
    for (edge, is_connected) in last.into_iter().zip(connected) {
        is_redundant[edge] = is_connected;
    }
    is_redundant
}
