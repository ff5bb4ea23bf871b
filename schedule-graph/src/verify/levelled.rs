//! A graph taken apart by level: each loop by itself, and one node of the level around it.

use crate::graph::edge::Edge;
use crate::graph::levels::{Levels, NO_LOOP};

/// The nodes and edges of each level: 0 is outside of all loops, 1 + l in loop l.
#[derive(Debug)]
pub(super) struct Levelled {
    /// `nodes[level]`: ascending; a loop is its begin.
    pub(super) nodes: Vec<Vec<u32>>,
    /// `edges[level]`: between those, each by its index in `nodes[level]`.
    pub(super) edges: Vec<Vec<Edge>>,
}

impl Levelled {
    /// O(V + E).
    pub(super) fn new(n_nodes: usize, edges: &[Edge], levels: Levels<'_>) -> Self {
        let n_levels = levels.loops.len() + 1;
        let level = |node: u32| levels.around(node).wrapping_add(1) as usize;
        let mut levelled = Self {
            nodes: vec![Vec::new(); n_levels],
            edges: vec![Vec::new(); n_levels],
        };
        // The end of a loop stands for nothing of its own.
        let mut number = vec![0; n_nodes];
        for node in 0..n_nodes as u32 {
            let own = levels.own(node);
            if own != NO_LOOP && node == levels.loops[own as usize].to {
                number[node as usize] = number[levels.loops[own as usize].from as usize];
            } else {
                number[node as usize] = levelled.nodes[level(node)].len() as u32;
                levelled.nodes[level(node)].push(node);
            }
        }
        for &edge in edges {
            if !levels.is_of_loop(edge) {
                levelled.edges[level(edge.from)].push(Edge {
                    from: number[edge.from as usize],
                    to: number[edge.to as usize],
                });
            }
        }
        levelled
    }

    /// One order of all nodes, with the parts of a loop between its begin and its end. `orders[level]`: of indices in
    /// `nodes[level]`, each once. O(V).
    pub(super) fn join(&self, levels: Levels<'_>, orders: Vec<Vec<u32>>) -> Vec<u32> {
        let named = self.nodes.iter().zip(orders).map(|(nodes, order)| {
            let last_first = order.into_iter().rev();
            last_first.map(|number| nodes[number as usize]).collect()
        });
        let mut named: Vec<Vec<u32>> = named.collect();
        // What is left to do of each level that was begun, last first.
        let mut open = core::mem::take(&mut named[0]);
        let mut order = Vec::new();
        while let Some(node) = open.pop() {
            order.push(node);
            let own = levels.own(node);
            if own != NO_LOOP && node == levels.loops[own as usize].from {
                open.push(levels.loops[own as usize].to);
                open.append(&mut named[own as usize + 1]);
            }
        }
        order
    }
}
