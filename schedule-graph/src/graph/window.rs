//! Windows of nodes, which limit the memory of reachability. All pairs of nodes at once need quadratic memory.

/// Consecutive nodes, one for each bit of a row: bit k is node `first + k`.
///
/// A row consists of `usize` blocks in the bit order of `fixedbitset`: bit k of a row is bit `k % usize::BITS` of block
/// `k / usize::BITS`. Bit 0 is the least significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The node of bit 0.
    pub first: usize,
    /// The number of blocks of a row.
    pub n_blocks: usize,
}

impl Window {
    /// The number of nodes of a block.
    pub(crate) const NODES_PER_BLOCK: usize = usize::BITS as usize;

    /// The window of all nodes of a graph.
    pub(crate) const fn full(n_nodes: usize) -> Self {
        Self {
            first: 0,
            n_blocks: n_nodes.div_ceil(Self::NODES_PER_BLOCK),
        }
    }

    /// One past the last node of the window. It may be greater than the number of nodes.
    pub(crate) const fn end(self) -> usize {
        self.first + self.n_blocks * Self::NODES_PER_BLOCK
    }

    /// The number of nodes of a ranked graph that have a row: those in the window and before it.
    ///
    /// In a ranked graph all edges lead from smaller to larger nodes, so no node after the window reaches a node in it.
    pub(crate) const fn n_rows(self, n_nodes: usize) -> usize {
        if self.end() < n_nodes {
            self.end()
        } else {
            n_nodes
        }
    }

    /// The number of blocks of all rows of a ranked graph.
    pub(crate) const fn n_row_blocks(self, n_nodes: usize) -> usize {
        self.n_rows(n_nodes) * self.n_blocks
    }

    /// The bit of a node, or `None` if the node is outside the window.
    pub(crate) const fn bit(self, node: u32) -> Option<Bit> {
        let node_idx = node as usize;
        // Does not call `end`, because calls are slow in const evaluation.
        if node_idx < self.first || node_idx - self.first >= self.n_blocks * Self::NODES_PER_BLOCK {
            return None;
        }
        let offset = node_idx - self.first;
        Some(Bit {
            block: offset / Self::NODES_PER_BLOCK,
            mask: 1 << (offset % Self::NODES_PER_BLOCK),
        })
    }
}

/// A bit of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bit {
    /// The index of the block in the row.
    pub(crate) block: usize,
    /// A block in which only this bit is set.
    pub(crate) mask: usize,
}
