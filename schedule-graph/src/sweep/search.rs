//! Paths from sweeps to a node that is not placed.

use super::clusters::Clusters;

/// A backward search from a node over the contracted graph, in descending topological order. It continues from one sweep to
/// the next.
pub(super) struct DetourSearch {
    /// The node at the end of the paths.
    node: u32,
    /// Clusters at this position and after it are visited.
    visited_from: usize,
    /// `reaching[c]`: the last node for which a path from cluster c was found; len = n_nodes.
    reaching: Vec<u32>,
    /// `detouring[c]`: the same for paths through another cluster.
    detouring: Vec<u32>,
}

/// The value of a cluster from which no path was found.
const NEVER: u32 = u32::MAX;

impl DetourSearch {
    pub(super) fn new(n_nodes: usize) -> Self {
        Self {
            node: NEVER,
            visited_from: 0,
            reaching: vec![NEVER; n_nodes],
            detouring: vec![NEVER; n_nodes],
        }
    }

    /// Starts a search from a node that is not placed. O(edges of the node).
    pub(super) fn start(&mut self, node: u32, clusters: &Clusters) {
        self.node = node;
        self.visited_from = clusters.n_placed();
        for before in clusters.before(node) {
            self.reaching[before as usize] = node;
        }
    }

    /// Visits all clusters after this one, so that its own answers are known. O(nodes + edges) of those that were not visited.
    pub(super) fn visit_after(&mut self, cluster: u32, clusters: &Clusters) {
        let end = clusters.position(cluster) + 1;
        while self.visited_from > end {
            self.visited_from -= 1;
            let visited = clusters.at(self.visited_from);
            if self.has_path_from(visited) {
                for before in clusters.before(visited) {
                    self.reaching[before as usize] = self.node;
                    self.detouring[before as usize] = self.node;
                }
            }
        }
    }

    /// Whether a path leads from a cluster to the node. All clusters after it must be visited.
    pub(super) fn has_path_from(&self, cluster: u32) -> bool {
        self.reaching[cluster as usize] == self.node
    }

    /// Whether a path leads from a cluster through another one to the node. All clusters after it must be visited.
    pub(super) fn has_detour_from(&self, cluster: u32) -> bool {
        self.detouring[cluster as usize] == self.node
    }
}
