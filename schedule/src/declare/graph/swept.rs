//! Sweeps in pictures: each is a box around its members, like a group.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::node::{Kind, Node, Touched};
use super::schedule_graph::ScheduleGraph;

/// A graph in which each sweep is also a group.
pub(super) struct SweptGraph<'g> {
    pub(super) graph: Cow<'g, ScheduleGraph>,
    /// The number of other nodes. The groups of sweeps come after them, in the order of the sweeps.
    pub(super) n_nodes: usize,
}

impl<'g> SweptGraph<'g> {
    pub(super) fn new(graph: &'g ScheduleGraph) -> Self {
        let n_nodes = graph.nodes.len();
        let mut graph = Cow::Borrowed(graph);
        if !graph.sweeps.is_empty() {
            add_groups(graph.to_mut());
        }
        Self { graph, n_nodes }
    }

    /// Whether a node is the group of a sweep.
    pub(super) fn is_sweep(&self, node: usize) -> bool {
        node >= self.n_nodes
    }

    /// The sweeps that have some members of a group, but not all, and also members outside of the group. Only one of the two can
    /// be a box.
    pub(super) fn crossing(&self) -> BTreeSet<usize> {
        let around = |&member: &usize| -> BTreeSet<usize> {
            let around = self.graph.around(member).into_iter();
            around.filter(|&one| !self.is_sweep(one)).collect()
        };
        let n_inside = self.n_inside();
        let sweeps = (self.n_nodes..).zip(&self.graph.sweeps);
        let crossing = sweeps.filter(|(_, members)| {
            let around: Vec<BTreeSet<usize>> = members.iter().map(around).collect();
            let of_any: BTreeSet<usize> = around.iter().flatten().copied().collect();
            of_any.into_iter().any(|one| {
                let n_shared = around.iter().filter(|around| around.contains(&one)).count();
                n_shared < members.len() && n_shared < n_inside[one]
            })
        });
        crossing.map(|(sweep, _)| sweep).collect()
    }

    /// The number of nodes in each loop and group, directly or indirectly.
    fn n_inside(&self) -> Vec<usize> {
        let mut n_inside = vec![0; self.graph.nodes.len()];
        for node in (0..self.n_nodes).filter(|&node| self.graph.nodes[node].kind != Kind::Group) {
            for holder in self.graph.around(node) {
                n_inside[holder] += 1;
            }
        }
        n_inside
    }
}

fn add_groups(graph: &mut ScheduleGraph) {
    for (idx, members) in graph.sweeps.iter().enumerate() {
        let sweep = graph.nodes.len();
        let first = &graph.nodes[members[0]];
        graph.nodes.push(Node {
            name: format!("sweep {}", idx + 1),
            nth: 1,
            kind: Kind::Group,
            place: first.place.clone(),
            repeat: first.repeat,
            groups: Vec::new(),
            guard: None,
            touched: Touched::default(),
            is_added: false,
            is_enabled: true,
        });
        for &member in members {
            graph.nodes[member].groups.push(sweep);
        }
    }
}
