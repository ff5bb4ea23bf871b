//! Breadth-first search for shortest paths and cycles. A shortest cycle is a shortest walk from a node to itself.

use super::UNSET;
use super::links::Links;

/// The scratch memory of breadth-first searches that visit disjoint sets of nodes.
#[derive(Debug)]
pub(super) struct Search<'a> {
    /// `via[v]`: the edge by which node v was found, or [`UNSET`]; len = n_nodes.
    via: &'a mut [u32],
    /// `parents[v]`: the node from which node v was found; len = n_nodes.
    parents: &'a mut [u32],
    /// The found nodes in order; len = n_nodes.
    queue: &'a mut [u32],
}

impl<'a> Search<'a> {
    /// `scratch`: len >= 3 n_nodes. Cost: O(V).
    pub(super) const fn new(n_nodes: usize, scratch: &'a mut [u32]) -> Self {
        let (via, scratch) = scratch.split_at_mut(n_nodes);
        let (parents, scratch) = scratch.split_at_mut(n_nodes);
        let (queue, _) = scratch.split_at_mut(n_nodes);
        let mut node_idx = 0;
        while node_idx < n_nodes {
            via[node_idx] = UNSET;
            node_idx += 1;
        }
        Self {
            via,
            parents,
            queue,
        }
    }

    /// Finds a shortest walk of at least one edge from one node to another, or back to itself.
    ///
    /// If `component` is given, the walk stays in the component of `from`. Of parallel edges the walk contains the earliest.
    /// [`Search::fill_edges`] returns the edges of the walk.
    ///
    /// A search does not visit nodes that an earlier search found. So searches in different components cost O(V + E)
    /// together.
    pub(super) const fn shortest_walk(
        &mut self,
        successors: Links<'_>,
        component: Option<&[u32]>,
        from: u32,
        to: u32,
    ) -> Option<WalkEnd> {
        self.queue[0] = from;
        let mut n_met = 1;
        let mut n_left = 0;
        while n_left < n_met {
            let node = self.queue[n_left];
            n_left += 1;
            let mut link_idx = successors.start(node as usize);
            let end = successors.end(node as usize);
            while link_idx < end {
                let target = successors.target(link_idx);
                if target == to {
                    return Some(WalkEnd {
                        from,
                        last: node,
                        last_edge: successors.origin(link_idx),
                    });
                }
                // `from` counts as found although no edge led to it.
                if target != from
                    && self.via[target as usize] == UNSET
                    && is_inside(component, from, target)
                {
                    self.via[target as usize] = successors.origin(link_idx);
                    self.parents[target as usize] = node;
                    self.queue[n_met] = target;
                    n_met += 1;
                }
                link_idx += 1;
            }
        }
        None
    }

    /// Writes the indices of the edges of a walk to `edges`, and returns their number.
    ///
    /// A walk has at most n_nodes edges. Cost: O(edges of the walk).
    pub(super) const fn fill_edges(&self, walk: WalkEnd, edges: &mut [u32]) -> usize {
        let WalkEnd {
            from,
            last,
            last_edge,
        } = walk;
        let mut n_edges = 1;
        let mut node = last;
        while node != from {
            n_edges += 1;
            node = self.parents[node as usize];
        }

        let mut edge_slot = n_edges - 1;
        edges[edge_slot] = last_edge;
        let mut node = last;
        while node != from {
            edge_slot -= 1;
            edges[edge_slot] = self.via[node as usize];
            node = self.parents[node as usize];
        }
        n_edges
    }
}

/// The end of a walk that [`Search::shortest_walk`] found.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkEnd {
    /// The node where the walk starts.
    from: u32,
    /// The last node before its end.
    last: u32,
    /// The edge from `last` to its end.
    last_edge: u32,
}

/// Whether two nodes are in the same component. True if there are no components.
const fn is_inside(component: Option<&[u32]>, from: u32, target: u32) -> bool {
    match component {
        Some(component) => component[from as usize] == component[target as usize],
        None => true,
    }
}
