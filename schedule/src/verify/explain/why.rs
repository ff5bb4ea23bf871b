//! Explains the relation of two nodes of a built schedule, from its declarations and its plan.

use core::cmp::Reverse;
use core::panic::Location;
use std::collections::BinaryHeap;

use super::built::BuiltNumbers;
use super::sweeps::sweep_relation;
use crate::base::place::SystemPlace;
use crate::data::access::AccessKind;
use crate::data::target::Target;
use crate::declare::declarations::{DeclaredWork, Level};
use crate::declare::problem::{Race, Step, StepOrigin, TargetError};
use crate::verify::compile::{All, Found, Index, Names, Policies};
use crate::verify::plan::Plan;
use crate::verify::why::{CommandsBetween, Relation, SharedUse, SweepRelation, Why};
use schedule_graph::Edge;
use schedule_graph::Policy;
use schedule_graph::internal::Lists;
use schedule_graph::internal::Origin;
use schedule_graph::internal::writers_first;

/// Returns why one node of a schedule comes before another, or why they may run at the same time. `location`: where the caller asks.
pub(crate) fn why(
    all: All<'_>,
    plan: &Plan,
    [one, other]: [&Target; 2],
    location: &'static Location<'static>,
) -> Result<Why, TargetError> {
    let numbers = BuiltNumbers::of(all, plan);
    let graph = &numbers.graph;
    let mut problems = Vec::new();
    let policies = Policies::number(all, graph, &numbers.resources, &mut problems);
    debug_assert!(problems.is_empty(), "it was built of the same declarations");
    let groups = graph.located_groups();
    let index = Index::with_names(all, &groups, true);
    let find = |target: &Target| index.find(target, location).map_err(TargetError);
    let [one, other] = [find(one)?, find(other)?];
    let order = &plan.order;
    let edges = plan.edges().map(|(edge, origin)| {
        let [from, to] = [edge.from, edge.to].map(|rank| order[rank as usize]);
        (Edge { from, to }, origin)
    });
    let (edges, origins): (Vec<Edge>, Vec<Origin>) = edges.unzip();
    let resolved = ResolvedPair {
        names: numbers.names(all),
        policies: &policies,
        successors: Lists::of_successors(order.len(), &edges),
        edges,
        origins,
    };
    let excluding = |a: Found, b: Found| {
        let [a, b] = [resolved.node(a)?, resolved.node(b)?];
        graph.needs().excluding(a, b)
    };
    Ok(Why {
        first: index.place(one),
        second: index.place(other),
        relation: resolved.relation(one, other, excluding(one, other)),
        conflict: resolved.conflict(one, other),
        sweep: resolved.sweep(plan, one, other),
        commands: resolved.commands(plan, one, other),
    })
}

/// A built schedule as numbers, with their names.
struct ResolvedPair<'a> {
    names: Names<'a>,
    policies: &'a Policies,
    edges: Vec<Edge>,
    /// `origins[i]`: the origin of edge i.
    origins: Vec<Origin>,
    successors: Lists,
}

/// The cost of a path as an explanation: the numbers of policy edges, of weak edges and of steps, in this order of importance.
type Price = (u32, u32, u32);

impl ResolvedPair<'_> {
    fn relation(&self, one: Found, other: Found, excluding: Option<u32>) -> Relation {
        let Names { all, graph, .. } = self.names;
        let place = |found: Found| match found {
            Found::Node(idx) => all.place(idx).clone(),
            Found::Group(group) => graph.groups[group].place(),
        };
        if one == other {
            return Relation::Same;
        }
        for (inner, outer) in [(one, other), (other, one)] {
            if self.is_in(inner, outer) {
                return Relation::Inside {
                    inner: place(inner),
                    outer: place(outer),
                };
            }
        }
        let before = self.path(one, other);
        let is_before = before.is_some();
        let path = before.or_else(|| self.path(other, one));
        match (path, excluding) {
            // A policy may order exclusive nodes, too. Only executors rely on that order, so it is not reported.
            (path, Some(condition)) if path.as_ref().is_none_or(|path| path.0 > 0) => {
                Relation::NeverBoth(graph.place(all, condition))
            }
            (Some((n_policy_edges, path)), _) => {
                let (first, then) = if is_before {
                    (one, other)
                } else {
                    (other, one)
                };
                let direct = self.direct(first, then).filter(|_| n_policy_edges > 0);
                let steps = self.steps(&direct.map_or(path, |edge| vec![edge]));
                if is_before {
                    Relation::Before(steps)
                } else {
                    Relation::After(steps)
                }
            }
            (None, _) => self.free(one, other),
        }
    }

    /// Explains a pair that no path orders.
    fn free(&self, one: Found, other: Found) -> Relation {
        let Names { all, resources, .. } = self.names;
        if let (Some(a), Some(b)) = (self.node(one), self.node(other)) {
            let [is_bound, other_is_bound] = [one, other].map(|found| self.is_bound(found));
            if is_bound && other_is_bound {
                return Relation::SameThread;
            }
            let uses = resources.uses();
            let shared = uses.of(a).iter().filter_map(|one| {
                let mut of_other = uses.of(b).iter();
                let other = of_other.find(|other| other.resource == one.resource)?;
                let name = resources.ids.get(one.resource as usize)?.to_string();
                Some(match (one.kind, other.kind) {
                    (AccessKind::Read, AccessKind::Read) => SharedUse::Read(name),
                    (AccessKind::Fold, AccessKind::Fold) => SharedUse::Folded(name),
                    _ => SharedUse::OfDifferentEntities(name),
                })
            });
            return Relation::AtOnce {
                shared: shared.collect(),
            };
        }
        let mut pairs = Vec::new();
        let [ones, others] = [one, other].map(|found| self.names.graph.members.nodes(found));
        for &a in &ones {
            for &b in &others {
                let [a, b] = [Found::Node(a), Found::Node(b)];
                let place = |found: Found| match found {
                    Found::Node(idx) => all.place(idx).clone(),
                    Found::Group(_) => unreachable!("these are nodes"),
                };
                let pair = |a, b| -> (SystemPlace, SystemPlace) { (place(a), place(b)) };
                if a != b && self.path(a, b).is_some() {
                    pairs.push(pair(a, b));
                } else if a != b && self.path(b, a).is_some() {
                    pairs.push(pair(b, a));
                }
            }
        }
        match pairs.as_slice() {
            [] => Relation::AtOnce { shared: Vec::new() },
            _ => Relation::Partly(pairs),
        }
    }

    /// Returns the conflict of two systems.
    fn conflict(&self, one: Found, other: Found) -> Option<Race> {
        let [a, b] = [self.node(one)?, self.node(other)?];
        let is_loop =
            |found: Found| matches!(found, Found::Node(idx) if self.names.all.node(idx).is_loop());
        let mut shared = self.names.resources.uses().shared(a, b);
        let conflicts = a != b && !is_loop(one) && !is_loop(other) && shared.next().is_some();
        conflicts.then(|| self.names.race(a, b))
    }

    /// Returns the pairs of two nodes for which a sync point was inserted.
    fn commands(&self, plan: &Plan, one: Found, other: Found) -> Vec<CommandsBetween> {
        let Names { all, graph, .. } = self.names;
        let nodes = |found: Found| -> Vec<u32> {
            let nodes = graph.members.nodes(found);
            // The bodies of loops.
            let all_nodes = all.there().map(|(idx, _)| idx);
            let is_inside = |idx: usize| {
                let enclosing_loop = |&idx: &usize| all.node(idx).level;
                core::iter::successors(Some(idx), enclosing_loop).any(|idx| nodes.contains(&idx))
            };
            let inside = all_nodes.filter(|&idx| is_inside(idx));
            inside.map(|idx| graph.node_of[idx]).collect()
        };
        let [ones, others] = [one, other].map(nodes);
        let mut found = Vec::new();
        for sync_point in &plan.sync_points {
            for pair in &sync_point.pairs {
                let is_pair = ones.contains(&pair.writer) && others.contains(&pair.user)
                    || others.contains(&pair.writer) && ones.contains(&pair.user);
                if is_pair {
                    found.push(CommandsBetween {
                        sync_point: sync_point.place.clone(),
                        writer: graph.place(all, pair.writer),
                        user: graph.place(all, pair.user),
                        change: pair.change.clone(),
                    });
                }
            }
        }
        found
    }

    /// Explains whether two `for_each` systems share a sweep.
    fn sweep(&self, plan: &Plan, one: Found, other: Found) -> Option<SweepRelation> {
        match (one, other) {
            (Found::Node(a), Found::Node(b)) if a != b => sweep_relation(self.names, plan, [a, b]),
            _ => None,
        }
    }

    /// Returns the node number, or `None` for a group. For a loop, its begin node.
    fn node(&self, found: Found) -> Option<u32> {
        match found {
            Found::Node(idx) => Some(self.names.graph.node_of[idx]),
            Found::Group(_) => None,
        }
    }

    /// Returns whether a system runs on the thread that calls `run`.
    fn is_bound(&self, found: Found) -> bool {
        let Found::Node(idx) = found else {
            return false;
        };
        self.names.all.node(idx).is_main_thread()
    }

    /// Returns whether `outer` contains `inner`, directly or indirectly.
    fn is_in(&self, inner: Found, outer: Found) -> bool {
        let Names { all, graph, .. } = self.names;
        match outer {
            Found::Group(group) => graph.members.holders(inner).contains(&group),
            Found::Node(outer) => {
                let level = match inner {
                    Found::Node(idx) => all.node(idx).level,
                    Found::Group(group) => graph.members.level(group),
                };
                let enclosing_loop = |&idx: &usize| all.node(idx).level;
                let mut levels = core::iter::successors(level, enclosing_loop);
                matches!(all.node(outer).work, DeclaredWork::Loop { .. })
                    && levels.any(|level| level == outer)
            }
        }
    }

    /// Returns the edge that a policy sets between two nodes, if they conflict and are at the same level.
    fn direct(&self, first: Found, then: Found) -> Option<(Edge, Origin)> {
        let [from, to] = [self.node(first)?, self.node(then)?];
        let Names {
            all,
            graph,
            resources,
        } = self.names;
        let level = |found: Found| -> Level {
            match found {
                Found::Node(idx) => all.node(idx).level,
                Found::Group(group) => graph.members.level(group),
            }
        };
        let uses = resources.uses();
        let resource = uses.shared(from, to).next()?.resource;
        if level(first) != level(then) {
            return None;
        }
        let origin = match self.policies.rules().of_pair(uses, from, to) {
            Policy::WritersFirst => {
                let edges = writers_first(uses, from, to);
                Origin::WritersFirst(edges.first_to_second.unwrap_or(resource))
            }
            Policy::InsertionOrder | Policy::Accepted => Origin::InsertionOrder(resource),
            Policy::Optimize => Origin::Optimize(resource),
            Policy::Reject => return None,
        };
        Some((Edge { from, to }, origin))
    }

    /// Returns the path with the simplest explanation why all of `first` comes before all of `then`, and the number of its policy edges.
    /// Dijkstra 1959, with a binary heap. O(edges × log(edges)).
    fn path(&self, first: Found, then: Found) -> Option<(u32, Vec<(Edge, Origin)>)> {
        let graph = self.names.graph;
        let (from, to) = (graph.ends(first).1, graph.ends(then).0);
        let links = self.successors.links();
        let n_nodes = links.n_nodes();
        let mut prices: Vec<Option<Price>> = vec![None; n_nodes];
        let mut came_by: Vec<Option<u32>> = vec![None; n_nodes];
        let mut open = BinaryHeap::from([Reverse(((0, 0, 0), from))]);
        prices[from as usize] = Some((0, 0, 0));
        while let Some(Reverse((price, node))) = open.pop() {
            if node == to {
                return Some((price.0, self.path_back(from, to, &came_by)));
            }
            if prices[node as usize].is_some_and(|known| known < price) {
                continue;
            }
            for link in links.start(node as usize)..links.end(node as usize) {
                let (next, edge) = (links.target(link), links.origin(link));
                let step = self.price(self.origins[edge as usize]);
                let price = (price.0 + step.0, price.1 + step.1, price.2 + step.2);
                let known = &mut prices[next as usize];
                if known.is_none_or(|known| price < known) {
                    *known = Some(price);
                    came_by[next as usize] = Some(edge);
                    open.push(Reverse((price, next)));
                }
            }
        }
        None
    }

    /// Returns the path to `to`. `came_by[v]`: the edge that reached node v.
    fn path_back(&self, from: u32, to: u32, came_by: &[Option<u32>]) -> Vec<(Edge, Origin)> {
        let mut path = Vec::new();
        let mut node = to;
        while let Some(edge) = came_by[node as usize].filter(|_| node != from) {
            let edge = edge as usize;
            path.push((self.edges[edge], self.origins[edge]));
            node = self.edges[edge].from;
        }
        path.reverse();
        path
    }

    fn price(&self, origin: Origin) -> Price {
        match origin {
            Origin::Declared(_) => (0, 0, 1),
            Origin::Weak(_) => (0, 1, 1),
            Origin::Commands(_) => (0, 1, 1),
            Origin::WritersFirst(_) | Origin::InsertionOrder(_) | Origin::Optimize(_) => (1, 0, 1),
        }
    }

    /// Returns the edges of a path with their origins.
    fn steps(&self, path: &[(Edge, Origin)]) -> Vec<Step> {
        let resources = self.names.resources;
        let mut steps = self.names.steps(path);
        for (step, (edge, origin)) in steps.iter_mut().zip(path) {
            let uses = resources.uses();
            let rules = self.policies.rules();
            if let Origin::InsertionOrder(resource) = *origin
                && uses.shared(edge.from, edge.to).next().is_some()
                && rules.of_pair(uses, edge.from, edge.to) == Policy::Accepted
            {
                step.origin = StepOrigin::Accepted {
                    subject: resources.subject(resource),
                    reason: self
                        .policies
                        .reason(resources, (edge.from.min(edge.to), edge.from.max(edge.to))),
                };
            }
        }
        steps
    }
}
