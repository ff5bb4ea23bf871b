//! Transitive reduction: which edges can go because others imply them, so that fewer have to be
//! waited for when a schedule runs.

use super::links::Links;
use super::reach::merge_successor_rows;
use super::window::Window;

/// Marks the edges of the transitive reduction (Aho, Garey, Ullman 1972).
///
/// `successors` are successor lists of a ranked graph: all edges have `from < to`, as
/// [`fill_ranked_edges`](super::order::fill_ranked_edges) makes them. Writes to `keep[i]` whether
/// edge i stays, and returns how many do; `keep` has len >= n_edges. An edge goes if a path of at
/// least two edges joins the same nodes, or if an earlier edge does.
///
/// Needs the reachability of all pairs of nodes, but of one window of nodes at a time only. The
/// windows are as wide as `blocks` allows: a row has w = `blocks.len() / n_nodes` blocks, of which
/// more than `Window::full(n_nodes).n_blocks` are of no use. Where that is too much memory, some
/// 32 blocks per node are fastest; the content on entry does not matter.
///
/// Cost: O((|V| + |E|) w) for every window of w `usize::BITS` nodes, which makes
/// O(|V| (|V| + |E|) / `usize::BITS`) for all of them.
///
/// # Panics
///
/// If there are fewer `blocks` than nodes; in debug builds, if the graph is not ranked.
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

/// Marks the edges that lead into a window, and returns how many of them stay.
const fn mark_kept_edges_into(
    successors: Links<'_>,
    window: Window,
    blocks: &mut [usize],
    keep: &mut [bool],
) -> usize {
    let mut n_open = count_links_into(successors, window);
    let mut n_kept = 0;
    let mut node_idx = window.n_rows(successors.n_nodes());
    // The rows of the nodes before the last open link would be of use to nobody.
    while n_open > 0 {
        node_idx -= 1;
        merge_successor_rows(successors, window, node_idx, blocks);
        let row_start = node_idx * window.n_blocks;
        let mut link_idx = successors.start(node_idx);
        let end = successors.end(node_idx);
        while link_idx < end {
            if let Some(bit) = window.bit(successors.target(link_idx)) {
                let block_idx = row_start + bit.block;
                // Set already: another successor reaches the target, or it is the target of an
                // earlier parallel edge.
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

/// Counts the links that lead to a node of the window. Cost: O(|E|).
const fn count_links_into(links: Links<'_>, window: Window) -> usize {
    let mut n_links = 0;
    let mut link_idx = 0;
    while link_idx < links.n_links() {
        n_links += window.bit(links.target(link_idx)).is_some() as usize;
        link_idx += 1;
    }
    n_links
}
