//! Transitive reduction.

use super::links::Links;
use super::reach::merge_successor_rows;
use super::window::Window;

/// Marks the edges of the transitive reduction (Aho, Garey, Ullman 1972), and returns their number.
///
/// `successors`: of a ranked graph, in which all edges have `from < to`; see
/// [`fill_ranked_edges`](super::order::fill_ranked_edges). Sets `keep[i]` to whether edge i is in the reduction;
/// len >= n_edges. An edge is not in the reduction if a path of at least two edges, or an earlier edge, joins the same nodes.
///
/// `blocks`: scratch memory. Reachability is computed for one window of nodes at a time. A window has
/// `blocks.len() / n_nodes` blocks per node, and at most as many as `Window::full(n_nodes)`.
///
/// Cost: O(V (V + E) / `usize::BITS`).
///
/// # Panics
///
/// If there are fewer blocks than nodes. In debug builds also if the graph is not ranked.
pub(crate) const fn mark_kept_edges(
    successors: Links<'_>,
    blocks: &mut [usize],
    keep: &mut [bool],
) -> usize {
    let n_nodes = successors.n_nodes();
    if n_nodes == 0 {
        return 0;
    }
    assert!(
        blocks.len() >= n_nodes,
        "there must be a block per node at least"
    );
    let mut window = Window::full(n_nodes);
    if blocks.len() / n_nodes < window.n_blocks {
        window.n_blocks = blocks.len() / n_nodes;
    }

    let mut n_kept = 0;
    while window.first < n_nodes {
        n_kept += mark_kept_edges_into(successors, window, blocks, keep);
        window.first = window.end();
    }
    n_kept
}

/// Marks the edges into a window, and returns the number of those in the reduction.
const fn mark_kept_edges_into(
    successors: Links<'_>,
    window: Window,
    blocks: &mut [usize],
    keep: &mut [bool],
) -> usize {
    let mut n_open = count_links_into(successors, window);
    let mut n_kept = 0;
    let mut node_idx = window.n_rows(successors.n_nodes());
    // Once all links into the window are marked, the remaining rows are not needed.
    while n_open > 0 {
        node_idx -= 1;
        merge_successor_rows(successors, window, node_idx, blocks);
        let row_start = node_idx * window.n_blocks;
        let mut link_idx = successors.start(node_idx);
        let end = successors.end(node_idx);
        while link_idx < end {
            if let Some(bit) = window.bit(successors.target(link_idx)) {
                let block_idx = row_start + bit.block;
                // The bit is already set if another successor reaches the target, or an earlier parallel edge leads to it.
                let is_kept = blocks[block_idx] & bit.mask == 0;
                blocks[block_idx] |= bit.mask;
                keep[successors.origin(link_idx) as usize] = is_kept;
                n_kept += is_kept as usize;
                n_open -= 1;
            }
            link_idx += 1;
        }
    }
    n_kept
}

/// Counts the links to nodes of the window. Cost: O(E).
const fn count_links_into(links: Links<'_>, window: Window) -> usize {
    let mut n_links = 0;
    let mut link_idx = 0;
    while link_idx < links.n_links() {
        n_links += window.bit(links.target(link_idx)).is_some() as usize;
        link_idx += 1;
    }
    n_links
}
