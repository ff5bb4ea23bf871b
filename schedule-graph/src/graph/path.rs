//! Shortest paths.

use super::links::Links;
use super::search::Search;

/// Finds a shortest path from one node to another, by breadth-first search (Moore 1959).
///
/// Returns the indices of the edges of the path, or `None` if there is no path. The path from a node to itself has no edges.
/// Of parallel edges the path contains the earliest.
///
/// `edges`: memory of the result, len >= n_nodes. `scratch`: len >= 3 n_nodes.
/// Cost: O(V + E).
///
/// # Panics
///
/// If `from` is not a node of the graph.
pub const fn shortest_path<'a>(
    successors: Links<'_>,
    from: u32,
    to: u32,
    scratch: &mut [u32],
    edges: &'a mut [u32],
) -> Option<&'a [u32]> {
    if from == to {
        return Some(&[]);
    }
    let mut search = Search::new(successors.n_nodes(), scratch);
    match search.shortest_walk(successors, None, from, to) {
        Some(walk) => {
            let n_edges = search.fill_edges(walk, edges);
            Some(edges.split_at(n_edges).0)
        }
        None => None,
    }
}
