//! Successor lists in compressed-row form.

use super::edge::Edge;

/// The successors of all nodes of a graph in compressed-row form: a view of three slices.
///
/// A link is an edge in the list of its source. The links of one node are contiguous, in the order of the edges.
#[derive(Clone, Copy, Debug)]
pub struct Links<'a> {
    /// `starts[v]..starts[v + 1]`: the links of node v; len = n_nodes + 1.
    starts: &'a [u32],
    /// `targets[k]`: the target of link k; len = n_edges.
    targets: &'a [u32],
    /// `origins[k]`: the index of the edge of link k; len = n_edges.
    origins: &'a [u32],
}

impl<'a> Links<'a> {
    /// Lists the successors of every node, by a stable counting sort of the edges by `from`.
    ///
    /// The length of `starts` is n_nodes + 1 and determines the number of nodes. `targets` and `origins` have len = n_edges.
    /// Cost: O(V + E).
    ///
    /// # Panics
    ///
    /// If a slice has another length, if a node of an edge does not exist, or if there are `u32::MAX - 1` or more nodes or
    /// edges.
    pub const fn of_successors(
        edges: &[Edge],
        starts: &'a mut [u32],
        targets: &'a mut [u32],
        origins: &'a mut [u32],
    ) -> Self {
        let n_nodes = starts.len().saturating_sub(1);
        Self::sort(n_nodes, edges, starts, targets, origins)
    }

    /// A view of slices that [`Links::of_successors`] filled.
    ///
    /// # Panics
    ///
    /// If the lengths are inconsistent.
    pub const fn new(starts: &'a [u32], targets: &'a [u32], origins: &'a [u32]) -> Self {
        assert!(!starts.is_empty(), "starts must have len = n_nodes + 1");
        let n_links = starts[starts.len() - 1] as usize;
        assert!(targets.len() == n_links, "targets must have len = n_edges");
        assert!(origins.len() == n_links, "origins must have len = n_edges");
        Self {
            starts,
            targets,
            origins,
        }
    }

    /// The number of nodes.
    pub const fn n_nodes(self) -> usize {
        self.starts.len() - 1
    }

    /// The number of links, which is the number of edges.
    pub const fn n_links(self) -> usize {
        self.targets.len()
    }

    /// The first link of a node.
    pub const fn start(self, node_idx: usize) -> usize {
        self.starts[node_idx] as usize
    }

    /// One past the last link of a node.
    pub const fn end(self, node_idx: usize) -> usize {
        self.starts[node_idx + 1] as usize
    }

    /// `targets[k]`: the target of link k. Inner loops use this slice instead of [`Links::target`], because calls are slow in
    /// const evaluation.
    pub const fn targets(self) -> &'a [u32] {
        self.targets
    }

    /// The target of a link.
    pub const fn target(self, link_idx: usize) -> u32 {
        self.targets[link_idx]
    }

    /// The index of the edge of a link.
    pub const fn origin(self, link_idx: usize) -> u32 {
        self.origins[link_idx]
    }

    /// As [`Links::of_successors`], for edges to `n_targets` targets that are not the nodes of the rows.
    pub(crate) const fn sort(
        n_targets: usize,
        edges: &[Edge],
        starts: &'a mut [u32],
        targets: &'a mut [u32],
        origins: &'a mut [u32],
    ) -> Self {
        assert!(!starts.is_empty(), "starts must have len = n_nodes + 1");
        assert!(
            targets.len() == edges.len(),
            "targets must have len = n_edges"
        );
        assert!(
            origins.len() == edges.len(),
            "origins must have len = n_edges"
        );
        // Lengths are variables, because calls are slow in const evaluation.
        let (n_nodes, n_edges) = (starts.len() - 1, edges.len());
        // Traversals use the two largest values as marks.
        let limit = (u32::MAX - 1) as usize;
        assert!(
            n_nodes < limit && n_edges < limit,
            "node and edge indices must fit in u32"
        );

        let mut node_idx = 0;
        while node_idx <= n_nodes {
            starts[node_idx] = 0;
            node_idx += 1;
        }

        let mut edge_idx = 0;
        while edge_idx < n_edges {
            let Edge { from, to } = edges[edge_idx];
            assert!(
                (from as usize) < n_nodes && (to as usize) < n_targets,
                "an edge must join nodes of the graph"
            );
            starts[from as usize] += 1;
            edge_idx += 1;
        }

        // Each start is first set to the end of its row. Rows are filled from the back, which moves the start to its place
        // without a second slice of cursors. Edges are visited from the back too, so the sort is stable.
        let mut n_links = 0;
        let mut node_idx = 0;
        while node_idx <= n_nodes {
            n_links += starts[node_idx];
            starts[node_idx] = n_links;
            node_idx += 1;
        }

        let mut edge_idx = n_edges;
        while edge_idx > 0 {
            edge_idx -= 1;
            let Edge { from, to } = edges[edge_idx];
            let link = starts[from as usize] - 1;
            starts[from as usize] = link;
            targets[link as usize] = to;
            origins[link as usize] = edge_idx as u32;
        }

        Self {
            starts,
            targets,
            origins,
        }
    }
}
