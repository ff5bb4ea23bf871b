//! A graph taken apart by level: each loop by itself, and one node of the level around it.

use crate::graph::edge::Edge;
use crate::graph::levels::{Levels, NO_LOOP};
use crate::graph::order::sort_topologically;
use crate::links_memory::LinksMemory;

/// The first and the last rank of a node, or of the loop of which it is the begin or the end.
pub(super) const fn members(levels: Levels<'_>, ranks: &[u32], node: u32) -> (usize, usize) {
    match levels.own(node) {
        NO_LOOP => (ranks[node as usize] as usize, ranks[node as usize] as usize),
        own => {
            let Edge { from, to } = levels.loops[own as usize];
            (ranks[from as usize] as usize, ranks[to as usize] as usize)
        }
    }
}

/// A topological order, if there is no cycle: at each level smallest index first, a loop being one node there, with its
/// parts between its begin and its end. Returns whether there is one, and writes it to `order`.
///
/// It is the topological order, smallest number first, of nodes that are numbered so that the end of a loop comes first, and
/// then those that are in more loops. `edges` are renumbered. `numbers` and `nodes` have len >= n_nodes.
/// Cost: O(V log V + E + V × depth).
pub(super) const fn sort_by_levels(
    levels: Levels<'_>,
    edges: &mut [Edge],
    links: LinksMemory<'_>,
    scratch: &mut [u32],
    numbers: &mut [u32],
    nodes: &mut [u32],
    order: &mut [u32],
) -> bool {
    let n_nodes = order.len();
    if levels.is_flat() {
        return sort_topologically(links.links(n_nodes, edges), scratch, order) == n_nodes;
    }
    // Until nodes have numbers, how many loops they are in; the ends of loops, one more than any other node.
    let depths = &mut *numbers;
    let mut n_depths = 1;
    let mut node = 0;
    while node < n_nodes {
        depths[node] = levels.depth(node as u32);
        if depths[node] >= n_depths {
            n_depths = depths[node] + 1;
        }
        node += 1;
    }
    let mut own = 0;
    while own < levels.loops.len() {
        depths[levels.loops[own].to as usize] = n_depths;
        own += 1;
    }
    let mut n_numbered = 0;
    let mut depth = n_depths + 1;
    while depth > 0 {
        depth -= 1;
        let mut node = 0;
        while node < n_nodes {
            if depths[node] == depth {
                nodes[n_numbered] = node as u32;
                n_numbered += 1;
            }
            node += 1;
        }
    }
    let mut number = 0;
    while number < n_nodes {
        numbers[nodes[number] as usize] = number as u32;
        number += 1;
    }
    let mut idx = 0;
    while idx < edges.len() {
        let Edge { from, to } = edges[idx];
        edges[idx] = Edge {
            from: numbers[from as usize],
            to: numbers[to as usize],
        };
        idx += 1;
    }
    if sort_topologically(links.links(n_nodes, edges), scratch, order) < n_nodes {
        return false;
    }
    let mut rank = 0;
    while rank < n_nodes {
        order[rank] = nodes[order[rank] as usize];
        rank += 1;
    }
    true
}

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
