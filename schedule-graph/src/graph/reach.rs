//! Reachability as bits, for all pairs of nodes of a window at once.

use super::links::Links;
use super::window::Window;

/// Computes the nodes of a window that each node reaches. With [`Window::full`] this is the transitive closure.
///
/// `successors`: of a ranked graph, in which all edges have `from < to`; see
/// [`fill_ranked_edges`](super::order::fill_ranked_edges). Each node u before the end of the window has a row of
/// `window.n_blocks` blocks, `blocks[u * n_blocks..(u + 1) * n_blocks]`. Bit k of the row is set if a path of at least one
/// edge leads from u to `window.first + k`. `blocks` has len >= `window.n_row_blocks(n_nodes)`. Its initial content is
/// arbitrary.
///
/// Visits the nodes once, from the last to the first, so the rows of the successors are complete (Purdom 1970, for an acyclic
/// graph). Cost: O((V + E) w) for w blocks per row.
///
/// # Panics
///
/// If there are too few blocks. In debug builds also if the graph is not ranked.
pub(crate) const fn fill_reach<'a>(
    successors: Links<'_>,
    window: Window,
    blocks: &'a mut [usize],
) -> Reach<'a> {
    let n_nodes = successors.n_nodes();
    assert!(
        blocks.len() >= window.n_row_blocks(n_nodes),
        "there must be blocks for all rows"
    );
    let mut node_idx = window.n_rows(n_nodes);
    while node_idx > 0 {
        node_idx -= 1;
        merge_successor_rows(successors, window, node_idx, blocks);
        let row_start = node_idx * window.n_blocks;
        let targets = successors.targets();
        let mut link_idx = successors.start(node_idx);
        let end = successors.end(node_idx);
        while link_idx < end {
            if let Some(bit) = window.bit(targets[link_idx]) {
                blocks[row_start + bit.block] |= bit.mask;
            }
            link_idx += 1;
        }
    }
    Reach::view(n_nodes, window, blocks)
}

/// A view of the rows that [`fill_reach`] computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach<'a> {
    /// `blocks[u * window.n_blocks..][..window.n_blocks]`: the row of node u.
    blocks: &'a [usize],
    window: Window,
}

impl<'a> Reach<'a> {
    /// A view of blocks that [`fill_reach`] filled for this window.
    pub(crate) const fn view(n_nodes: usize, window: Window, blocks: &'a [usize]) -> Self {
        Self {
            blocks: blocks.split_at(window.n_row_blocks(n_nodes)).0,
            window,
        }
    }

    /// Whether a path of at least one edge leads from one node to another.
    ///
    /// # Panics
    ///
    /// If `to` is outside the window.
    pub(crate) const fn has_path(self, from: u32, to: u32) -> bool {
        let Some(bit) = self.window.bit(to) else {
            panic!("the window must contain the end of the path");
        };
        // Nodes after the window have no row, because they reach no node in it.
        let block_idx = from as usize * self.window.n_blocks + bit.block;
        block_idx < self.blocks.len() && self.blocks[block_idx] & bit.mask != 0
    }

    /// The row of a node. Empty for nodes after the window, which reach no node in it.
    #[cfg(test)]
    pub(crate) const fn row(self, node: u32) -> &'a [usize] {
        let start = node as usize * self.window.n_blocks;
        if start >= self.blocks.len() {
            return &[];
        }
        self.blocks
            .split_at(start)
            .1
            .split_at(self.window.n_blocks)
            .0
    }
}

/// Sets the row of a node to the nodes of the window that a path of at least two edges leads to: those that its successors
/// reach. The rows of the successors must be complete.
pub(crate) const fn merge_successor_rows(
    successors: Links<'_>,
    window: Window,
    node_idx: usize,
    blocks: &mut [usize],
) {
    let n_blocks = window.n_blocks;
    let row_start = node_idx * n_blocks;
    // Uses indices instead of a slice for each row, because splitting slices is slow in const evaluation.
    let mut block_idx = row_start;
    while block_idx < row_start + n_blocks {
        blocks[block_idx] = 0;
        block_idx += 1;
    }

    let n_rows = window.n_rows(successors.n_nodes());
    let targets = successors.targets();
    let mut link_idx = successors.start(node_idx);
    let end = successors.end(node_idx);
    while link_idx < end {
        let target = targets[link_idx];
        link_idx += 1;
        debug_assert!(node_idx < target as usize, "the graph must be ranked");
        if target as usize >= n_rows {
            continue;
        }
        let mut block_idx = 0;
        if let Some(bit) = window.bit(target) {
            // If an earlier successor reaches this one, the row already contains the nodes that it reaches.
            if blocks[row_start + bit.block] & bit.mask != 0 {
                continue;
            }
            // A node reaches larger nodes only, so the blocks before its own block are empty.
            block_idx = bit.block;
        }
        let target_start = target as usize * n_blocks;
        while block_idx < n_blocks {
            blocks[row_start + block_idx] |= blocks[target_start + block_idx];
            block_idx += 1;
        }
    }
}
