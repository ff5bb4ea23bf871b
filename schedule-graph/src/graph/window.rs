//! The window of nodes that one pass over a graph answers questions about, because the answers for
//! all pairs of nodes at once need memory quadratic in the number of nodes.

/// A run of nodes that stand for the bits of a row: bit k is node `first + k`.
///
/// Rows are `usize` blocks in the bit order of `fixedbitset`: bit k of a row is bit
/// `k % usize::BITS` of block `k / usize::BITS`, bit 0 being the least significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The node of bit 0.
    pub first: usize,
    /// How many blocks a row has.
    pub n_blocks: usize,
}

impl Window {
    /// How many nodes a block stands for.
    pub(crate) const NODES_PER_BLOCK: usize = usize::BITS as usize;

    /// The window that holds all nodes of a graph.
    pub(crate) const fn full(n_nodes: usize) -> Self {
        Self {
            first: 0,
            n_blocks: n_nodes.div_ceil(Self::NODES_PER_BLOCK),
        }
    }

    /// The end of the window: one past its last node. It may lie past the end of the graph.
    pub(crate) const fn end(self) -> usize {
        self.first + self.n_blocks * Self::NODES_PER_BLOCK
    }

    /// How many nodes of a ranked graph have a row.
    ///
    /// Where all edges lead from smaller to larger nodes, nothing behind the window leads into it,
    /// so its nodes and those before it are all that count.
    pub(crate) const fn n_rows(self, n_nodes: usize) -> usize {
        if self.end() < n_nodes {
            self.end()
        } else {
            n_nodes
        }
    }

    /// How many blocks all rows of a ranked graph have together.
    pub(crate) const fn n_row_blocks(self, n_nodes: usize) -> usize {
        self.n_rows(n_nodes) * self.n_blocks
    }

    /// The bit that stands for a node, or `None` if the node is outside of the window.
    pub(crate) const fn bit(self, node: u32) -> Option<Bit> {
        let node_idx = node as usize;
        if node_idx < self.first || node_idx >= self.end() {
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
    /// The block of the row that holds the bit.
    pub(crate) block: usize,
    /// The block with that bit alone set.
    pub(crate) mask: usize,
}
