//! Breadth-first search, shared by paths and cycles: a shortest cycle is a shortest walk from a
//! node to itself.

use super::UNSET;
use super::links::Links;

/// The scratch space of breadth-first searches that do not meet each other's nodes.
#[derive(Debug)]
pub(super) struct Search<'a> {
    /// `via[v]`: the edge by which node v was met, or [`UNSET`]; len = n_nodes.
    via: &'a mut [u32],
    /// `parents[v]`: the node from which node v was met; len = n_nodes.
    parents: &'a mut [u32],
    /// The nodes in the order of being met; len = n_nodes.
    queue: &'a mut [u32],
}

impl<'a> Search<'a> {
    /// Takes 3 n_nodes of `scratch`. Cost: O(|V|).
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

    /// Finds a shortest walk of at least one edge from one node to another or back to itself.
    ///
    /// With `component`, the walk stays in the component of `from`. Of parallel edges the earliest
    /// is taken. [`Search::fill_edges`] tells the edges of the walk.
    ///
    /// A search does not enter nodes that an earlier one met. That is why one scratch space serves
    /// searches in many components at a cost of O(|V| + |E|) for all of them together.
    pub(super) const fn shortest_walk(
        &mut self,
        successors: Links<'_>,
        component: Option<&[u32]>,
        from: u32,
        to: u32,
    ) -> Option<Walk> {
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
                    return Some(Walk {
                        from,
                        last: node,
                        last_edge: successors.origin(link_idx),
                    });
                }
                // `from` counts as met although no edge led to it.
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

    /// Writes the indices of the edges of a walk to `edges` and returns their number.
    ///
    /// A walk from a node to itself has at most n_nodes edges, any other fewer.
    /// Cost: O(edges of the walk).
    pub(super) const fn fill_edges(&self, walk: Walk, edges: &mut [u32]) -> usize {
        let Walk {
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

/// A walk found by [`Search::shortest_walk`], known by its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// The node where the walk starts.
    from: u32,
    /// The last node before its end.
    last: u32,
    /// The edge from `last` to its end.
    last_edge: u32,
}

/// Says whether two nodes lie in the same component; without components all nodes do.
const fn is_inside(component: Option<&[u32]>, from: u32, target: u32) -> bool {
    match component {
        Some(component) => component[from as usize] == component[target as usize],
        None => true,
    }
}
