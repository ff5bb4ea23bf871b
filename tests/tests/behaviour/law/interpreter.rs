//! A direct implementation of the rules. It examines every path and every pair.

use std::collections::BTreeSet;

use schedule::prelude::*;

use super::case::{Case, N_GROUPS, Thing};

/// The expected result for a case.
#[derive(Debug, PartialEq)]
pub(super) enum Law {
    /// Invalid groups.
    Groups,
    Refused {
        has_cycle: bool,
        has_writers_first: bool,
        races: BTreeSet<(usize, usize)>,
    },
    /// The systems in the order of the run. If pairs race under `optimize`, the order may differ. Then it must contain the pairs of `fits`
    /// in this order.
    Order {
        order: Vec<usize>,
        fits: Option<BTreeSet<(usize, usize)>>,
    },
}

impl Law {
    /// Returns whether the systems may run in this order.
    pub(super) fn allows(&self, found: &[usize]) -> bool {
        let Law::Order { order, fits } = self else {
            return false;
        };
        let Some(before) = fits else {
            return found == order;
        };
        let place = |system| found.iter().position(|&one| one == system);
        found.len() == order.len() && before.iter().all(|&(a, b)| place(a) < place(b))
    }
}

/// A graph of points: nodes, followed by the begin and the end of each group.
pub(super) struct Graph {
    edges: Vec<(usize, usize)>,
}

impl Graph {
    pub(super) fn has_path(&self, from: usize, to: usize) -> bool {
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(point) = open.pop() {
            for &(_, next) in self.edges.iter().filter(|edge| edge.0 == point) {
                if next == to {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }

    fn has_cycle(&self) -> bool {
        self.edges
            .iter()
            .any(|&(from, _)| self.has_path(from, from))
    }
}

impl Case {
    fn n_points(&self) -> usize {
        self.nodes.len() + 2 * N_GROUPS
    }

    pub(super) fn first(&self, thing: Thing) -> usize {
        match thing {
            Thing::Node(node) => node,
            Thing::Group(group) => self.nodes.len() + 2 * group,
        }
    }

    pub(super) fn last(&self, thing: Thing) -> usize {
        match thing {
            Thing::Node(node) => node,
            Thing::Group(group) => self.nodes.len() + 2 * group + 1,
        }
    }

    /// Returns whether a group contains an item, directly or through other groups.
    fn is_in(&self, thing: Thing, group: usize, depth: usize) -> bool {
        let holders: Vec<usize> = match thing {
            Thing::Node(node) => self.nodes[node].groups.iter().copied().collect(),
            Thing::Group(inner) => {
                let of = self.nested.iter().filter(|nested| nested.0 == inner);
                of.map(|nested| nested.1).collect()
            }
        };
        let is_holder = |&holder: &usize| {
            holder == group || depth > 0 && self.is_in(Thing::Group(holder), group, depth - 1)
        };
        holders.iter().any(is_holder)
    }

    pub(super) fn is_against_member(&self, first: Thing, then: Thing) -> bool {
        let is_in =
            |thing, group| matches!(group, Thing::Group(group) if self.is_in(thing, group, 3));
        is_in(first, then) || is_in(then, first)
    }

    /// Returns the graph of the declared orders, including the weak ones if `with_weak`.
    pub(super) fn graph(&self, with_weak: bool) -> Graph {
        let mut edges = Vec::new();
        let mut join = |member: Thing, group: usize| {
            edges.push((self.first(Thing::Group(group)), self.first(member)));
            edges.push((self.last(member), self.last(Thing::Group(group))));
        };
        for (node, one) in self.nodes.iter().enumerate() {
            one.groups
                .iter()
                .for_each(|&group| join(Thing::Node(node), group));
        }
        for &(inner, outer) in &self.nested {
            join(Thing::Group(inner), outer);
        }
        let groups = (0..N_GROUPS).map(Thing::Group);
        edges.extend(groups.map(|group| (self.first(group), self.last(group))));
        for &(first, then, is_weak) in &self.orders {
            if !is_weak {
                edges.push((self.last(first), self.first(then)));
            } else if with_weak {
                let of = |thing| {
                    let nodes = (0..self.nodes.len()).filter(move |&node| match thing {
                        Thing::Node(other) => node == other,
                        Thing::Group(group) => self.is_in(Thing::Node(node), group, 3),
                    });
                    nodes.collect::<Vec<_>>()
                };
                for from in of(first) {
                    edges.extend(of(then).into_iter().map(|to| (from, to)));
                }
            }
        }
        Graph { edges }
    }

    /// Returns the conflicts of two nodes: the policy of the resource, and which of the nodes write it.
    fn shared(&self, a: usize, b: usize) -> Vec<(Option<Policy>, bool, bool)> {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        if a.is_checkpoint || b.is_checkpoint {
            return Vec::new();
        }
        let mut shared = Vec::new();
        for resource in 0..4 {
            if let (Some(a), Some(b)) = (a.access(resource), b.access(resource)) {
                shared.push((self.resources[resource], a, b));
            }
        }
        // Unnamed resources, and exclusive systems.
        if let (Some((a, _)), Some((b, _))) = (a.all, b.all) {
            shared.push((None, a, b));
        }
        shared.push((None, a.is_exclusive, b.is_exclusive));
        shared.retain(|&(_, a, b)| a || b);
        shared
    }

    pub(super) fn conflicts(&self) -> Vec<(usize, usize)> {
        let pairs = (0..self.nodes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs
            .filter(|&(a, b)| !self.shared(a, b).is_empty())
            .collect()
    }

    fn policy(&self, a: usize, b: usize) -> Policy {
        let set = |pair: &&(usize, usize, Policy)| (pair.0, pair.1) == (a, b);
        match self.pairs.iter().find(set) {
            Some(pair) => pair.2,
            None => {
                let shared = self.shared(a, b).into_iter();
                shared
                    .map(|one| one.0.unwrap_or(self.schedule))
                    .min()
                    .unwrap()
            }
        }
    }

    pub(super) fn law(&self) -> Law {
        let in_itself = (0..N_GROUPS).any(|group| self.is_in(Thing::Group(group), group, 3));
        let mut orders = self.orders.iter();
        if in_itself || orders.any(|&(first, then, _)| self.is_against_member(first, then)) {
            return Law::Groups;
        }
        let (declared, both) = (self.graph(false), self.graph(true));
        let has_cycle = both.has_cycle();
        let mut graph = self.graph(has_cycle);
        for (a, b) in self.conflicts() {
            for (from, to) in [(a, b), (b, a)] {
                if both.has_path(from, to) && !declared.has_path(from, to) {
                    graph.edges.push((from, to));
                }
            }
        }
        let (mut races, mut writers_first) = (BTreeSet::new(), Vec::new());
        let (mut insertion_order, mut has_optimize) = (Vec::new(), false);
        for (a, b) in self.conflicts() {
            if graph.has_path(a, b) || graph.has_path(b, a) {
                continue;
            }
            match self.policy(a, b) {
                Policy::Reject => drop(races.insert((a, b))),
                Policy::WritersFirst => {
                    for (_, a_writes, b_writes) in self.shared(a, b) {
                        writers_first.extend(a_writes.then_some((a, b)));
                        writers_first.extend(b_writes.then_some((b, a)));
                    }
                }
                Policy::InsertionOrder | Policy::Accepted => insertion_order.push((a, b)),
                Policy::Optimize => has_optimize = true,
            }
        }
        graph.edges.extend(writers_first);
        let has_writers_first = !has_cycle && graph.has_cycle();
        if has_cycle || has_writers_first || !races.is_empty() {
            return Law::Refused {
                has_cycle,
                has_writers_first,
                races,
            };
        }
        let order = self.order(&graph);
        let place = |system| order.iter().position(|&one| one == system);
        graph.edges.extend(
            insertion_order
                .into_iter()
                .map(|(a, b)| if place(a) < place(b) { (a, b) } else { (b, a) }),
        );
        let fits = has_optimize.then(|| {
            let pairs = order
                .iter()
                .flat_map(|&a| order.iter().map(move |&b| (a, b)));
            pairs.filter(|&(a, b)| graph.has_path(a, b)).collect()
        });
        Law::Order { order, fits }
    }

    /// The ready node that was added first comes first. A group directly precedes its first member.
    fn order(&self, graph: &Graph) -> Vec<usize> {
        let n_nodes = self.nodes.len();
        let key = |&point: &usize| {
            if point < n_nodes {
                return (point, n_nodes, 0);
            }
            let group = (point - n_nodes) / 2;
            let mut members = (0..n_nodes).filter(|&node| self.is_in(Thing::Node(node), group, 3));
            (members.next().unwrap_or(n_nodes), group, point)
        };
        let mut order: Vec<usize> = Vec::new();
        while order.len() < self.n_points() {
            let is_ready = |&point: &usize| {
                let mut into = graph.edges.iter().filter(|edge| edge.1 == point);
                !order.contains(&point) && into.all(|edge| order.contains(&edge.0))
            };
            order.push(
                (0..self.n_points())
                    .filter(is_ready)
                    .min_by_key(key)
                    .unwrap(),
            );
        }
        order.retain(|&point| point < n_nodes && !self.nodes[point].is_checkpoint);
        order
    }

    /// Returns the resources after the systems ran sequentially in this order.
    pub(super) fn state(&self, order: &[usize]) -> [u64; 4] {
        let mut state = [1; 4];
        for &node in order {
            let access = |resource| self.nodes[node].access(resource);
            let read: Vec<u64> = (0..4)
                .filter(|&r| access(r).is_some())
                .map(|r| state[r])
                .collect();
            for resource in (0..4).filter(|&resource| access(resource) == Some(true)) {
                state[resource] = mix(node, resource, &read);
            }
        }
        state
    }
}

/// Returns the value that a system writes. It depends on the system, the resource and the values that were read.
pub(super) fn mix(node: usize, resource: usize, read: &[u64]) -> u64 {
    let start = (node * 4 + resource + 1) as u64;
    read.iter().fold(start, |sum, value| {
        sum.wrapping_mul(0x9e37_79b9).rotate_left(7) ^ value
    })
}
