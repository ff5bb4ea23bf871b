//! Topological order, the one that keeps as close to the order of declaration as the edges allow,
//! so that the same declarations always give the same order.

use super::edge::Edge;
use super::heap::Heap;
use super::links::Links;

/// Sorts the nodes topologically (Kahn 1962): of all nodes whose predecessors are sorted, the one
/// with the smallest index comes next.
///
/// `successors` are successor lists. Writes the sorted nodes to `order`, which has len >= n_nodes,
/// and returns how many there are. If they are fewer than n_nodes the graph has a cycle: the nodes
/// left out lie on a cycle or behind one, and those in `order[..n_sorted]` do not.
///
/// Scratch: 2 n_nodes. Cost: O(|E| + |V| log |V|).
pub const fn sort_topologically(
    successors: Links<'_>,
    scratch: &mut [u32],
    order: &mut [u32],
) -> usize {
    let n_nodes = successors.n_nodes();
    // n_open[v]: how many links into node v come from nodes that are not sorted yet.
    let (n_open, scratch) = scratch.split_at_mut(n_nodes);
    let (slots, _) = scratch.split_at_mut(n_nodes);
    let mut ready = Heap::new(slots);

    let mut node_idx = 0;
    while node_idx < n_nodes {
        n_open[node_idx] = 0;
        node_idx += 1;
    }
    let targets = successors.targets();
    let mut link_idx = 0;
    while link_idx < targets.len() {
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
/// `ranks` has len >= `order.len()`. Cost: O(|V|).
///
/// # Panics
///
/// If `order` names a node that does not fit into `ranks`.
pub const fn fill_ranks(order: &[u32], ranks: &mut [u32]) {
    let mut rank = 0;
    while rank < order.len() {
        ranks[order[rank] as usize] = rank as u32;
        rank += 1;
    }
}

/// Renumbers the edges of a graph without cycles so that `from < to` holds for all of them.
///
/// `ranks[v]` is the place of node v in a topological order of all nodes. Edge i of `ranked` is
/// edge i of `edges`, so edge indices keep their meaning; both have the same length.
/// Cost: O(|E|).
///
/// # Panics
///
/// If the lengths differ or an edge names a node that has no rank.
pub const fn fill_ranked_edges(edges: &[Edge], ranks: &[u32], ranked: &mut [Edge]) {
    assert!(
        ranked.len() == edges.len(),
        "ranked must have len = n_edges"
    );
    let mut edge_idx = 0;
    while edge_idx < edges.len() {
        let Edge { from, to } = edges[edge_idx];
        let (from, to) = (ranks[from as usize], ranks[to as usize]);
        debug_assert!(from < to, "ranks must come from a topological order");
        ranked[edge_idx] = Edge { from, to };
        edge_idx += 1;
    }
}
