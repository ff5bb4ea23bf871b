//! Enumeration of the conflicting pairs of a graph.

use super::masks::{Masks, MasksMemory};
use crate::arena::Arena;
use crate::conflict::Uses;
use crate::exclusion::Needs;
use crate::graph::SCRATCH_PER_NODE;
use crate::graph::edge::Edge;
use crate::graph::links::Links;
use crate::graph::order::{fill_ranked_edges, fill_ranks, sort_topologically};
use crate::graph::reach::fill_reach;
use crate::graph::window::Window;
use crate::links_memory::LinksMemory;

/// The maximum sizes of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkExtent {
    /// Nodes.
    pub n_nodes: usize,
    /// Edges.
    pub n_edges: usize,
    /// Resources, the additional ones included.
    pub n_resources: usize,
    /// Pairs of a resource and a signature, as in [`Filters::list`](crate::conflict::Filters::list).
    pub n_filtered: usize,
    /// The maximum number of blocks of reachability. Each node has at least one block.
    pub n_blocks: usize,
    /// Whether [`Walk::ordered`] is used.
    pub has_declared: bool,
    /// Whether a node folds a resource.
    pub has_folds: bool,
}

/// The memory of a [`Walk`].
#[derive(Debug)]
pub struct WalkMemory<'a> {
    scratch: &'a mut [u32],
    order: &'a mut [u32],
    pub(super) ranks: &'a mut [u32],
    pub(super) ranked: &'a mut [Edge],
    pub(super) all_links: LinksMemory<'a>,
    declared_links: LinksMemory<'a>,
    pub(super) all: &'a mut [usize],
    declared: &'a mut [usize],
    pub(super) masks: MasksMemory<'a>,
    pub(super) row: &'a mut [usize],
    pub(super) window: Window,
}

impl<'a> WalkMemory<'a> {
    /// Takes memory for this extent.
    pub const fn take(arena: &mut Arena<'a>, extent: WalkExtent) -> Self {
        let WalkExtent {
            n_nodes,
            n_edges,
            n_resources,
            n_filtered,
            n_blocks,
            has_declared,
            has_folds,
        } = extent;
        let mut window = Window::full(n_nodes);
        let most = n_blocks / (if n_nodes == 0 { 1 } else { n_nodes });
        let most = if most == 0 { 1 } else { most };
        if most < window.n_blocks {
            window.n_blocks = most;
        }
        let n_rows = n_nodes * window.n_blocks;
        let n_masks = (n_resources + n_filtered) * window.n_blocks;
        let (n_declared, n_declared_edges) = if has_declared {
            (n_nodes, n_edges)
        } else {
            (0, 0)
        };
        Self {
            scratch: arena.words(SCRATCH_PER_NODE * n_nodes),
            order: arena.words(n_nodes),
            ranks: arena.words(n_nodes),
            ranked: arena.edges(n_edges),
            all_links: LinksMemory::take(arena, n_nodes, n_edges),
            declared_links: LinksMemory::take(arena, n_declared, n_declared_edges),
            all: arena.blocks(n_rows),
            declared: arena.blocks(n_declared * window.n_blocks),
            masks: MasksMemory::take(arena, n_masks, has_folds),
            row: arena.blocks(window.n_blocks),
            window,
        }
    }

    /// Borrows the memory for one walk.
    pub const fn reborrow(&mut self) -> WalkMemory<'_> {
        WalkMemory {
            scratch: &mut *self.scratch,
            order: &mut *self.order,
            ranks: &mut *self.ranks,
            ranked: &mut *self.ranked,
            all_links: self.all_links.reborrow(),
            declared_links: self.declared_links.reborrow(),
            all: &mut *self.all,
            declared: &mut *self.declared,
            masks: self.masks.reborrow(),
            row: &mut *self.row,
            window: self.window,
        }
    }
}

/// Enumerates conflicting pairs whose nodes may both run, in a topological order of the graph.
///
/// [`Walk::free`] enumerates the pairs without a path. [`Walk::ordered`] enumerates the pairs with a path in the graph, but
/// without one along its declared edges.
///
/// Cost: O((V + E + U) V / 64) for U uses, and O(1) for each pair.
#[derive(Debug)]
pub struct Walk<'a> {
    pub(super) uses: Uses<'a>,
    pub(super) needs: Needs<'a>,
    pub(super) order: &'a [u32],
    /// The successors of each rank.
    pub(super) all_links: Links<'a>,
    declared_links: Option<Links<'a>>,
    all: &'a mut [usize],
    declared: &'a mut [usize],
    pub(super) masks: MasksMemory<'a>,
    pub(super) row: &'a mut [usize],
    pub(super) window: Window,
    /// One past the rank of the current row.
    pub(super) rank: usize,
    /// The current block of the row.
    pub(super) block: usize,
}

impl<'a> Walk<'a> {
    /// Enumerates the pairs without a path. The nodes of the graph are those of `uses`.
    ///
    /// # Panics
    ///
    /// If the graph has a cycle, or if there is too little memory.
    pub const fn free(
        uses: Uses<'a>,
        n_resources: usize,
        needs: Needs<'a>,
        edges: &[Edge],
        memory: WalkMemory<'a>,
    ) -> Self {
        Self::new(uses, n_resources, needs, edges, None, memory)
    }

    /// Enumerates the pairs with a path, but without one along the first `n_declared` edges.
    ///
    /// # Panics
    ///
    /// As [`Walk::free`].
    pub const fn ordered(
        uses: Uses<'a>,
        n_resources: usize,
        needs: Needs<'a>,
        edges: &[Edge],
        n_declared: usize,
        memory: WalkMemory<'a>,
    ) -> Self {
        Self::new(uses, n_resources, needs, edges, Some(n_declared), memory)
    }

    const fn new(
        uses: Uses<'a>,
        n_resources: usize,
        needs: Needs<'a>,
        edges: &[Edge],
        n_declared: Option<usize>,
        memory: WalkMemory<'a>,
    ) -> Self {
        let n_nodes = uses.n_nodes();
        let WalkMemory {
            scratch,
            order,
            ranks,
            ranked,
            all_links,
            declared_links,
            all,
            declared,
            masks,
            row,
            window,
        } = memory;
        let mut window = window;
        if Window::full(n_nodes).n_blocks < window.n_blocks {
            window = Window::full(n_nodes);
        }
        let n_masks = uses.filters().n_rows(n_resources) * window.n_blocks;
        let order = order.split_at_mut(n_nodes).0;
        let ranks = ranks.split_at_mut(n_nodes).0;
        let mut all_links = all_links;
        let links = all_links.reborrow().links(n_nodes, edges);
        assert!(
            sort_topologically(links, scratch, order) == n_nodes,
            "the graph must be acyclic"
        );
        fill_ranks(order, ranks);
        let ranked = ranked.split_at_mut(edges.len()).0;
        fill_ranked_edges(edges, ranks, ranked);
        let all_links = all_links.links(n_nodes, ranked);
        let declared_links = match n_declared {
            None => None,
            Some(n) => Some(declared_links.links(n_nodes, ranked.split_at(n).0)),
        };
        let mut walk = Self {
            uses,
            needs,
            order,
            all_links,
            declared_links,
            all,
            declared,
            masks: masks.first(n_masks),
            row,
            window,
            rank: 0,
            block: window.n_blocks,
        };
        if n_nodes > 0 {
            walk.fill_window();
        }
        walk
    }

    /// The next pair. Its first node comes first in the topological order.
    pub const fn next(&mut self) -> Option<(u32, u32)> {
        loop {
            if let Some(pair) = self.next_in_row() {
                return Some(pair);
            }
            if !self.next_row() {
                return None;
            }
        }
    }

    /// The next pair of the current row, in which all pairs have the same first node.
    pub(super) const fn next_in_row(&mut self) -> Option<(u32, u32)> {
        while self.block < self.window.n_blocks {
            let bits = self.row[self.block];
            if bits == 0 {
                self.block += 1;
                continue;
            }
            self.row[self.block] = bits & (bits - 1);
            let offset = self.block * Window::NODES_PER_BLOCK;
            let later = self.window.first + offset + bits.trailing_zeros() as usize;
            let (first, then) = (self.order[self.rank - 1], self.order[later]);
            if !self.needs.never_both_run(first, then) {
                return Some((first, then));
            }
        }
        None
    }

    /// Starts the next row. Returns whether there is one.
    pub(super) const fn next_row(&mut self) -> bool {
        let n_nodes = self.order.len();
        while self.rank >= self.window.n_rows(n_nodes) {
            if self.window.end() >= n_nodes {
                return false;
            }
            self.window.first = self.window.end();
            self.rank = 0;
            self.fill_window();
        }
        self.fill_row();
        self.rank += 1;
        true
    }

    const fn fill_window(&mut self) {
        Masks::fill(self.uses, self.order, self.window, &mut self.masks);
        fill_reach(self.all_links, self.window, self.all);
        if let Some(declared_links) = self.declared_links {
            fill_reach(declared_links, self.window, self.declared);
        }
    }

    const fn fill_row(&mut self) {
        let masks = self.masks.view(self.window, self.uses.filters());
        let (free_of, ordered_by) = match self.declared_links {
            None => (&*self.all, None),
            Some(_) => (&*self.declared, Some(&*self.all)),
        };
        let node = self.order[self.rank];
        let range = (self.uses.start(node), self.uses.end(node));
        self.block = masks.fill_row(self.uses, range, self.rank, free_of, ordered_by, self.row);
    }
}

#[cfg(test)]
mod tests;
