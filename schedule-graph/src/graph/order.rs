//! Topological order.

use super::edge::Edge;
use super::heap::MinHeap;
use super::links::Links;

/// Sorts the nodes topologically, smallest index first (Kahn 1962).
///
/// Of all nodes whose predecessors are sorted, the one with the smallest index comes next. Writes the sorted nodes to
/// `order` and returns their number. If it is less than n_nodes, the graph has a cycle, and exactly the nodes on a cycle or
/// after one are left out.
///
/// `order`: len >= n_nodes. `scratch`: len >= 2 n_nodes. Cost: O(E + V log V).
pub const fn sort_topologically(
    successors: Links<'_>,
    scratch: &mut [u32],
    order: &mut [u32],
) -> usize {
    let n_nodes = successors.n_nodes();
    // n_open[v]: the number of links into node v from nodes that are not sorted.
    let (n_open, scratch) = scratch.split_at_mut(n_nodes);
    let (slots, _) = scratch.split_at_mut(n_nodes);
    let mut ready = MinHeap::new(slots);

    let mut node_idx = 0;
    while node_idx < n_nodes {
        n_open[node_idx] = 0;
        node_idx += 1;
    }
    let targets = successors.targets();
    let n_links = targets.len();
    let mut link_idx = 0;
    while link_idx < n_links {
        n_open[targets[link_idx] as usize] += 1;
        link_idx += 1;
    }
    let mut node_idx = 0;
    while node_idx < n_nodes {
        if n_open[node_idx] == 0 {
            ready.push(node_idx as u32);
        }
        node_idx += 1;
    }

    let mut n_sorted = 0;
    while let Some(node) = ready.pop() {
        order[n_sorted] = node;
        n_sorted += 1;
        let mut link_idx = successors.start(node as usize);
        let end = successors.end(node as usize);
        while link_idx < end {
            let target = targets[link_idx];
            n_open[target as usize] -= 1;
            if n_open[target as usize] == 0 {
                ready.push(target);
            }
            link_idx += 1;
        }
    }
    n_sorted
}

/// Inverts a complete order: `ranks[order[i]] == i`.
///
/// `ranks` has len >= `order.len()`. Cost: O(V).
///
/// # Panics
///
/// If a node in `order` is not less than `ranks.len()`.
pub const fn fill_ranks(order: &[u32], ranks: &mut [u32]) {
    let n_nodes = order.len();
    let mut rank = 0;
    while rank < n_nodes {
        ranks[order[rank] as usize] = rank as u32;
        rank += 1;
    }
}

/// Renumbers the edges of an acyclic graph by rank, so that `from < to` for all of them.
///
/// `ranks[v]`: the position of node v in a topological order of all nodes. Edge i of `ranked` is edge i of `edges`.
/// Cost: O(E).
///
/// # Panics
///
/// If the lengths of `edges` and `ranked` differ, or if a node of an edge has no rank.
pub const fn fill_ranked_edges(edges: &[Edge], ranks: &[u32], ranked: &mut [Edge]) {
    let n_edges = edges.len();
    assert!(ranked.len() == n_edges, "ranked must have len = n_edges");
    let mut edge_idx = 0;
    while edge_idx < n_edges {
        let Edge { from, to } = edges[edge_idx];
        let (from, to) = (ranks[from as usize], ranks[to as usize]);
        debug_assert!(from < to, "ranks must come from a topological order");
        ranked[edge_idx] = Edge { from, to };
        edge_idx += 1;
    }
}
