//! The memory of successor lists, from an arena.

use crate::arena::Arena;
use crate::graph::edge::Edge;
use crate::graph::links::Links;

/// The memory of [`Links`].
#[derive(Debug)]
pub(crate) struct LinksMemory<'a> {
    starts: &'a mut [u32],
    targets: &'a mut [u32],
    origins: &'a mut [u32],
}

impl<'a> LinksMemory<'a> {
    /// Takes memory for at most `n_nodes` nodes and `n_links` links.
    pub(crate) const fn take(arena: &mut Arena<'a>, n_nodes: usize, n_links: usize) -> Self {
        Self {
            starts: arena.words(n_nodes + 1),
            targets: arena.words(n_links),
            origins: arena.words(n_links),
        }
    }

    /// Lists the successors of each node; see [`Links::of_successors`].
    ///
    /// # Panics
    ///
    /// If there are more nodes or edges than there is memory for.
    pub(crate) const fn links(self, n_nodes: usize, edges: &[Edge]) -> Links<'a> {
        Links::of_successors(
            edges,
            self.starts.split_at_mut(n_nodes + 1).0,
            self.targets.split_at_mut(edges.len()).0,
            self.origins.split_at_mut(edges.len()).0,
        )
    }

    /// Lists the targets of each of `n_rows` rows: edge `from` → `to` puts `to`, which is below `n_targets`, into row
    /// `from`.
    ///
    /// # Panics
    ///
    /// If there are more rows or edges than there is memory for.
    pub(crate) const fn rows(self, n_rows: usize, n_targets: usize, edges: &[Edge]) -> Links<'a> {
        Links::sort(
            n_targets,
            edges,
            self.starts.split_at_mut(n_rows + 1).0,
            self.targets.split_at_mut(edges.len()).0,
            self.origins.split_at_mut(edges.len()).0,
        )
    }

    /// Borrows the memory for a limited time.
    pub(crate) const fn reborrow(&mut self) -> LinksMemory<'_> {
        LinksMemory {
            starts: &mut *self.starts,
            targets: &mut *self.targets,
            origins: &mut *self.origins,
        }
    }
}
