//! Assigns each node of a picture to a box.

use std::collections::{BTreeMap, BTreeSet};

use super::node::Kind;
use super::schedule_graph::ScheduleGraph;
use super::swept::SweptGraph;
use schedule_graph::Edge;
use schedule_graph::internal::cycles;

/// Nested boxes that never overlap. A box contains only its members.
pub(super) struct Boxes {
    /// `holders[v]`: the box of node v; len = n_nodes.
    pub(super) holders: Vec<Option<usize>>,
    /// `others[v]`: groups of node v that are not drawn around it, and that no box around it names; len = n_nodes.
    pub(super) others: Vec<Vec<usize>>,
    /// For each closed group, its first nodes and boxes, and its last ones. A closed group is drawn as a node.
    ends: BTreeMap<usize, [Vec<usize>; 2]>,
}

impl Boxes {
    /// Assigns each node to the smallest box that contains it. A group whose members are all in another group is inside
    /// that group, even if this was not declared.
    ///
    /// If other nodes run between the members of a group, a box around all of them would need edges that run backward.
    /// Such a group is drawn closed, and the labels of its members name it. The same applies to sweeps, also to those that share
    /// only a part of their members with a group. O(groups × edges × depth).
    pub(super) fn new(swept: &SweptGraph<'_>) -> Self {
        let graph = &*swept.graph;
        let contents = BoxContents::new(graph);
        let mut closed = swept.crossing();
        loop {
            let holders = contents.holders(&closed);
            let scattered = on_cycles(graph, &holders)
                .into_iter()
                // In a rejected schedule, a closed group can still be part of a cycle. Without this check, the loop
                // would not end.
                .filter(|one| graph.nodes[*one].kind == Kind::Group && !closed.contains(one))
                .reduce(|one, other| {
                    let is_sweep = |one| swept.is_sweep(one);
                    let is_second = match (is_sweep(one), is_sweep(other)) {
                        (true, false) => false,
                        (false, true) => true,
                        _ => contents.is_smaller(one, other),
                    };
                    if is_second { other } else { one }
                });
            match scattered {
                Some(group) => closed.insert(group),
                None => {
                    return Self {
                        others: contents.others(&holders, &closed),
                        ends: contents.ends(&holders, &closed),
                        holders,
                    };
                }
            };
        }
    }
}

impl Boxes {
    /// The targets of edges to a node: the node itself, or the begin of a closed group.
    pub(super) fn first<'a>(&'a self, node: &'a usize) -> &'a [usize] {
        let ends = self.ends.get(node).map(|[first, _]| first.as_slice());
        ends.unwrap_or(core::slice::from_ref(node))
    }

    /// The sources of edges from a node: the node itself, or the end of a closed group.
    pub(super) fn last<'a>(&'a self, node: &'a usize) -> &'a [usize] {
        let ends = self.ends.get(node).map(|[_, last]| last.as_slice());
        ends.unwrap_or(core::slice::from_ref(node))
    }
}

/// The content of each box.
struct BoxContents<'g> {
    graph: &'g ScheduleGraph,
    /// `contents[b]`: the nodes that run in box b. Empty if b is not a box.
    contents: Vec<BTreeSet<usize>>,
    around: Vec<Vec<usize>>,
}

impl<'g> BoxContents<'g> {
    fn new(graph: &'g ScheduleGraph) -> Self {
        let mut contents = vec![BTreeSet::new(); graph.nodes.len()];
        let mut around = Vec::with_capacity(graph.nodes.len());
        for (idx, node) in graph.nodes.iter().enumerate() {
            let of_node = graph.around(idx);
            if node.kind != Kind::Group {
                for &holder in &of_node {
                    contents[holder].insert(idx);
                }
            }
            around.push(of_node);
        }
        Self {
            graph,
            contents,
            around,
        }
    }

    /// Of two boxes with the same size, the one that begins first counts as larger.
    fn is_smaller(&self, one: usize, other: usize) -> bool {
        let size = |holder: usize| (self.contents[holder].len(), usize::MAX - holder);
        size(one) < size(other)
    }

    /// Whether a box contains all of a node.
    fn is_in(&self, node: usize, holder: usize) -> bool {
        let is_group = self.graph.nodes[node].kind == Kind::Group;
        if is_group && !self.contents[node].is_empty() {
            self.is_smaller(node, holder) && self.contents[node].is_subset(&self.contents[holder])
        } else {
            self.around[node].contains(&holder)
        }
    }

    fn holders(&self, closed: &BTreeSet<usize>) -> Vec<Option<usize>> {
        let nodes = &self.graph.nodes;
        let boxes = (0..nodes.len()).filter(|&one| nodes[one].is_box() && !closed.contains(&one));
        let boxes: Vec<usize> = boxes.collect();
        let holder = |node: usize| {
            let holders = boxes
                .iter()
                .copied()
                .filter(|&one| one != node && self.is_in(node, one));
            // `boxes` has no closed groups, so no node is inside one.
            holders.reduce(|best, one| {
                if self.is_smaller(one, best) {
                    one
                } else {
                    best
                }
            })
        };
        (0..nodes.len()).map(holder).collect()
    }

    /// Computes [`Boxes::ends`]. Groups without members have no entry. O(members × edges × depth) for each group.
    fn ends(
        &self,
        holders: &[Option<usize>],
        closed: &BTreeSet<usize>,
    ) -> BTreeMap<usize, [Vec<usize>; 2]> {
        let mut ends = BTreeMap::new();
        for &group in closed {
            let is_piece = |&node: &usize| {
                let is_outer = holders[node].is_none_or(|holder| !self.is_in(holder, group));
                node != group && !closed.contains(&node) && is_outer && self.is_in(node, group)
            };
            let pieces = (0..holders.len()).filter(is_piece);
            let pieces: Vec<usize> = pieces.collect();
            let [first, last] = [false, true].map(|is_backward| {
                let reached = pieces.iter();
                let reached: BTreeSet<usize> = reached
                    .flat_map(|&piece| self.reached(piece, is_backward))
                    .collect();
                let is_end = |piece: &usize| {
                    let inside = &self.contents[*piece];
                    let is_reached = !inside.is_empty() && inside.is_subset(&reached);
                    !(is_reached || reached.contains(piece))
                };
                pieces.iter().copied().filter(is_end).collect()
            });
            if !pieces.is_empty() {
                ends.insert(group, [first, last]);
            }
        }
        ends
    }

    /// All nodes after a node, or after a box around it or a node in it. If `is_backward`, all nodes before.
    fn reached(&self, node: usize, is_backward: bool) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut is_met = BTreeSet::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if !is_met.insert(node) {
                continue;
            }
            for edge in &self.graph.edges {
                let (from, to) = if is_backward {
                    (edge.to, edge.from)
                } else {
                    (edge.from, edge.to)
                };
                let is_of_node = from == node
                    || self.around[node].contains(&from)
                    || self.contents[node].contains(&from);
                if is_of_node {
                    reached.insert(to);
                    reached.extend(&self.contents[to]);
                    open.push(to);
                    open.extend(&self.contents[to]);
                }
            }
        }
        reached
    }

    fn others(&self, holders: &[Option<usize>], closed: &BTreeSet<usize>) -> Vec<Vec<usize>> {
        let nodes = &self.graph.nodes;
        let others = (0..nodes.len()).map(|node| {
            let around: Vec<usize> =
                core::iter::successors(holders[node], |one| holders[*one]).collect();
            let is_open_group = nodes[node].kind == Kind::Group && !closed.contains(&node);
            let holding = closed.iter().copied();
            let holding =
                holding.filter(|&one| is_open_group && one != node && self.is_in(node, one));
            let groups = nodes[node].groups.iter().copied().chain(holding);
            let is_reported = |group: usize| {
                let mut boxes = around.iter();
                boxes.any(|&one| one == group || closed.contains(&group) && self.is_in(one, group))
            };
            let groups: BTreeSet<usize> = groups.filter(|&group| !is_reported(group)).collect();
            groups.into_iter().collect()
        });
        others.collect()
    }
}

/// Nodes on cycles that exist only because each box counts as one node.
fn on_cycles(graph: &ScheduleGraph, holders: &[Option<usize>]) -> Vec<usize> {
    let around = |node: usize| {
        let around = core::iter::successors(Some(node), |one| holders[*one]);
        around.collect::<Vec<usize>>()
    };
    let mut inside: BTreeMap<Option<usize>, Vec<Edge>> = BTreeMap::new();
    for edge in &graph.edges {
        let (from, to) = (around(edge.from), around(edge.to));
        // Compares the boxes from the outermost one inward, to find the first difference.
        let ends = from.iter().rev().zip(to.iter().rev());
        if let Some((&from, &to)) = ends.clone().find(|(from, to)| from != to) {
            let edge = Edge {
                from: from as u32,
                to: to as u32,
            };
            inside.entry(holders[from]).or_default().push(edge);
        }
    }
    let mut on_cycles = Vec::new();
    for edges in inside.values() {
        for cycle in cycles(graph.nodes.len(), edges) {
            on_cycles.extend(cycle.iter().map(|&edge| edges[edge as usize].from as usize));
        }
    }
    on_cycles
}
