//! The levels of a graph as separate graphs. In the level around a loop, the loop is one node.

use crate::graph::edge::Edge;
use crate::graph::levels::{Levels, NO_LOOP};
use crate::graph::order::sort_topologically;
use crate::links_memory::LinksMemory;

/// The ranks of a node: its own rank twice, or for the begin or the end of a loop, the first and the last rank of the loop.
pub(super) const fn members(levels: Levels<'_>, ranks: &[u32], node: u32) -> (usize, usize) {
    match levels.own(node) {
        NO_LOOP => (ranks[node as usize] as usize, ranks[node as usize] as usize),
        own => {
            let Edge { from, to } = levels.loops[own as usize];
            (ranks[from as usize] as usize, ranks[to as usize] as usize)
        }
    }
}

/// Writes a topological order to `order` in which the body of each loop is contiguous. Returns whether there is one.
///
/// Each level is sorted smallest index first, and a loop counts as one node of the level around it. Its body is between its
/// begin and its end.
///
/// The order is found by one topological sort, smallest number first, of renumbered nodes. The ends of loops have the smallest
/// numbers, then come nodes by descending depth. `edges` are renumbered. `numbers` and `nodes` are scratch memory,
/// len >= n_nodes.
///
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
    // The memory of the numbers first contains the depth of each node. Ends of loops get a depth greater than that of any
    // other node.
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

/// The nodes and edges of each level. Level 0 is outside all loops, level 1 + l is the body of loop l.
#[derive(Debug)]
pub(super) struct Levelled {
    /// `nodes[level]`: the nodes of the level, ascending. The begin of a loop represents the loop.
    pub(super) nodes: Vec<Vec<u32>>,
    /// `edges[level]`: the edges between nodes of the level, as indices in `nodes[level]`.
    pub(super) edges: Vec<Vec<Edge>>,
}

impl Levelled {
    /// Splits a graph by level. O(V + E).
    pub(super) fn new(n_nodes: usize, edges: &[Edge], levels: Levels<'_>) -> Self {
        let n_levels = levels.loops.len() + 1;
        let level = |node: u32| levels.around(node).wrapping_add(1) as usize;
        let mut levelled = Self {
            nodes: vec![Vec::new(); n_levels],
            edges: vec![Vec::new(); n_levels],
        };
        // The end of a loop has the number of its begin.
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

    /// Joins the orders of all levels. The body of a loop is between its begin and its end.
    ///
    /// `orders[level]`: the order of the level, as indices in `nodes[level]`. O(V).
    pub(super) fn join(&self, levels: Levels<'_>, orders: Vec<Vec<u32>>) -> Vec<u32> {
        let named = self.nodes.iter().zip(orders).map(|(nodes, order)| {
            let last_first = order.into_iter().rev();
            last_first.map(|number| nodes[number as usize]).collect()
        });
        let mut named: Vec<Vec<u32>> = named.collect();
        // The remaining nodes of all levels that are not complete, in reverse order.
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
