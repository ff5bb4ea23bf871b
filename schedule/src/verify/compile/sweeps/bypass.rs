//! Bypasses nodes without work: checkpoints, and the begins and ends of groups.
//!
//! They only stand for orders between other nodes. On a path between two members of a sweep they would keep the members apart, although
//! nothing runs there.

use schedule_graph::Edge;
use schedule_graph::internal::NO_LOOP;

/// A node is bypassed if this is not more than the number of its predecessors times the number of its successors. Otherwise the number of
/// edges would grow too much, and the node keeps its edges.
const MOST_EDGES: usize = 4_096;

/// Decides which nodes are bypassed.
pub(super) struct Bypass {
    is_bypassed: Vec<bool>,
}

impl Bypass {
    /// Replaces each path of `edges` through a bypassed node by an edge. `edges`: by rank, so that `from < to`. `is_idle[rank]`: whether a
    /// node has no work. `around[rank]`: the innermost loop around a node, or [`NO_LOOP`]; len = n_nodes, or 0 without loops.
    ///
    /// Nodes in loops keep their edges, which hold each loop together.
    pub(super) fn new(edges: &mut Vec<Edge>, is_idle: &[bool], around: &[u32]) -> Self {
        let mut bypass = Self {
            is_bypassed: vec![false; is_idle.len()],
        };
        if !is_idle.contains(&true) {
            return bypass;
        }
        let mut lists = EdgeLists::new(is_idle.len(), edges);
        for (rank, &is_idle) in is_idle.iter().enumerate() {
            let is_in_loop = around.get(rank).is_some_and(|around| *around != NO_LOOP);
            if is_idle && !is_in_loop && lists.n_paths(rank) <= MOST_EDGES {
                lists.bypass(rank);
                bypass.is_bypassed[rank] = true;
            }
        }
        *edges = lists.into_edges();
        bypass
    }

    /// Replaces each path of other edges through one of these nodes by an edge.
    pub(super) fn apply(&self, edges: &mut Vec<Edge>) {
        if !self.is_bypassed.contains(&true) {
            return;
        }
        let mut lists = EdgeLists::new(self.is_bypassed.len(), edges);
        for rank in (0..self.is_bypassed.len()).filter(|&rank| self.is_bypassed[rank]) {
            lists.bypass(rank);
        }
        *edges = lists.into_edges();
    }
}

/// The edges as lists of predecessors and successors. Both may contain nodes repeatedly while nodes are bypassed.
struct EdgeLists {
    before: Vec<Vec<u32>>,
    after: Vec<Vec<u32>>,
    is_bypassed: Vec<bool>,
}

impl EdgeLists {
    fn new(n_nodes: usize, edges: &[Edge]) -> Self {
        let mut lists = Self {
            before: vec![Vec::new(); n_nodes],
            after: vec![Vec::new(); n_nodes],
            is_bypassed: vec![false; n_nodes],
        };
        for edge in edges {
            lists.add(edge.from, edge.to);
        }
        lists
    }

    fn add(&mut self, from: u32, to: u32) {
        self.after[from as usize].push(to);
        self.before[to as usize].push(from);
    }

    /// Removes nodes that occur repeatedly or are bypassed.
    fn clean(&self, nodes: &mut Vec<u32>) {
        nodes.sort_unstable();
        nodes.dedup();
        nodes.retain(|&node| !self.is_bypassed[node as usize]);
    }

    /// The number of edges that replace a node.
    fn n_paths(&mut self, rank: usize) -> usize {
        let mut before = core::mem::take(&mut self.before[rank]);
        let mut after = core::mem::take(&mut self.after[rank]);
        self.clean(&mut before);
        self.clean(&mut after);
        let n_paths = before.len() * after.len();
        (self.before[rank], self.after[rank]) = (before, after);
        n_paths
    }

    fn bypass(&mut self, rank: usize) {
        self.n_paths(rank);
        self.is_bypassed[rank] = true;
        let before = core::mem::take(&mut self.before[rank]);
        let after = core::mem::take(&mut self.after[rank]);
        for &from in &before {
            for &to in &after {
                self.add(from, to);
            }
        }
    }

    /// The edges between nodes that are not bypassed, sorted and distinct.
    fn into_edges(self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (from, after) in (0..).zip(&self.after) {
            if !self.is_bypassed[from as usize] {
                let mut after = after.clone();
                self.clean(&mut after);
                edges.extend(after.into_iter().map(|to| Edge { from, to }));
            }
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(pairs: &[(u32, u32)]) -> Vec<Edge> {
        let edges = pairs.iter().map(|&(from, to)| Edge { from, to });
        edges.collect()
    }

    #[test]
    fn paths_through_idle_nodes_become_edges() {
        let mut all = edges(&[(0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (0, 5), (1, 6)]);
        let is_idle = [false, false, true, true, false, false, false];
        let bypass = Bypass::new(&mut all, &is_idle, &[]);
        assert_eq!(all, edges(&[(0, 4), (0, 5), (1, 4), (1, 5), (1, 6)]));
        let mut others = edges(&[(0, 2), (2, 3), (3, 5)]);
        bypass.apply(&mut others);
        assert_eq!(others, edges(&[(0, 5)]));
    }

    #[test]
    fn nodes_in_loops_and_nodes_with_many_paths_keep_their_edges() {
        let mut all = edges(&[(0, 1), (1, 2)]);
        Bypass::new(&mut all, &[false, true, false], &[NO_LOOP, 0, NO_LOOP]);
        assert_eq!(all, edges(&[(0, 1), (1, 2)]));

        let n = MOST_EDGES as u32 + 1;
        let fan: Vec<(u32, u32)> = (0..n).map(|from| (from, n)).chain([(n, n + 1)]).collect();
        let mut all = edges(&fan);
        let mut is_idle = vec![false; n as usize + 2];
        is_idle[n as usize] = true;
        Bypass::new(&mut all, &is_idle, &[]);
        assert_eq!(all, edges(&fan));
    }
}
