//! The nodes that conflict with a node, as bits.
//!
//! A test of all pairs of nodes would be quadratic. Instead each resource has bit masks of the nodes that use it: one mask
//! for each access kind, of the nodes whose uses conflict with that kind. The conflicts of a node are the union of one mask
//! for each of its uses. Its races are the conflicts without the nodes before and after it. The cost for a node is
//! O(uses × nodes / 64).

use crate::arena::Arena;
use crate::conflict::{AccessKind, Filters, Use, Uses};
use crate::graph::window::Window;

/// The nodes of a window that use each resource, by the kinds that they conflict with. Nodes are numbered by rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Masks<'a> {
    window: Window,
    filters: Filters<'a>,
    /// `users[r * n_blocks..][..n_blocks]`: bit k is set if node `window.first + k` uses resource r. Users conflict with
    /// writes. The rows of resources with signatures follow; see [`Filters`].
    users: &'a [usize],
    /// The same for nodes that write or fold the resource. They conflict with reads.
    modifiers: &'a [usize],
    /// The same for nodes that read or write the resource. They conflict with folds. Empty if no node folds.
    non_folders: &'a [usize],
}

/// The memory of [`Masks`].
#[derive(Debug)]
pub(super) struct MasksMemory<'a> {
    users: &'a mut [usize],
    modifiers: &'a mut [usize],
    non_folders: &'a mut [usize],
}

impl<'a> MasksMemory<'a> {
    /// Takes memory for `n_blocks` blocks of each mask: [`Filters::n_rows`] rows of `window.n_blocks` blocks.
    pub(super) const fn take(arena: &mut Arena<'a>, n_blocks: usize, has_folds: bool) -> Self {
        Self {
            users: arena.blocks(n_blocks),
            modifiers: arena.blocks(n_blocks),
            non_folders: arena.blocks(if has_folds { n_blocks } else { 0 }),
        }
    }

    /// Borrows the memory for a limited time.
    pub(super) const fn reborrow(&mut self) -> MasksMemory<'_> {
        MasksMemory {
            users: &mut *self.users,
            modifiers: &mut *self.modifiers,
            non_folders: &mut *self.non_folders,
        }
    }

    /// The first `n_blocks` blocks of the memory of each mask.
    pub(super) const fn first(self, n_blocks: usize) -> Self {
        let n_folds = if self.non_folders.is_empty() {
            0
        } else {
            n_blocks
        };
        Self {
            users: self.users.split_at_mut(n_blocks).0,
            modifiers: self.modifiers.split_at_mut(n_blocks).0,
            non_folders: self.non_folders.split_at_mut(n_folds).0,
        }
    }

    /// Adds the uses of `node` to those of the node with this rank, which is in the window. O(uses × filters).
    pub(super) const fn add(&mut self, uses: Uses<'_>, node: u32, window: Window, rank: usize) {
        let offset = rank - window.first;
        let block = offset / Window::NODES_PER_BLOCK;
        let mask = 1 << (offset % Window::NODES_PER_BLOCK);
        let filters = uses.filters();
        let mut use_idx = uses.start(node);
        while use_idx < uses.end(node) {
            let one = uses.nth(use_idx);
            self.set(
                one.resource as usize * window.n_blocks + block,
                mask,
                one.kind,
            );
            self.set_filtered(filters, one, window, (block, mask));
            use_idx += 1;
        }
    }

    /// Sets the bit of a use in the rows of all signatures of its resource that it is not disjoint with.
    const fn set_filtered(
        &mut self,
        filters: Filters<'_>,
        one: Use,
        window: Window,
        (block, mask): (usize, usize),
    ) {
        let (mut idx, end) = filters.of_resource(one.resource);
        while idx < end {
            if let Some(row) = filters.row_meeting(idx, one) {
                self.set(row * window.n_blocks + block, mask, one.kind);
            }
            idx += 1;
        }
    }

    const fn set(&mut self, block_idx: usize, mask: usize, kind: AccessKind) {
        self.users[block_idx] |= mask;
        if kind.modifies() {
            self.modifiers[block_idx] |= mask;
        }
        if !self.non_folders.is_empty() && !matches!(kind, AccessKind::Fold) {
            self.non_folders[block_idx] |= mask;
        }
    }

    /// A view of blocks that [`Masks::fill`] filled for the same window and filters.
    pub(super) const fn view<'m>(&'m self, window: Window, filters: Filters<'m>) -> Masks<'m> {
        Masks {
            window,
            filters,
            users: self.users,
            modifiers: self.modifiers,
            non_folders: self.non_folders,
        }
    }
}

impl<'a> Masks<'a> {
    /// Fills all masks. `order[rank]` is the node of that rank.
    ///
    /// Cost: O(rows × n_blocks + uses in the window). A use of a resource with filters counts once for each of these filters.
    ///
    /// # Panics
    ///
    /// If a node folds a resource, and the memory was taken with `has_folds` = false.
    pub(super) const fn fill(
        uses: Uses<'a>,
        order: &[u32],
        window: Window,
        memory: &'a mut MasksMemory<'_>,
    ) -> Self {
        let (users, modifiers) = (&mut *memory.users, &mut *memory.modifiers);
        let n_blocks = users.len();
        let mut block_idx = 0;
        while block_idx < n_blocks {
            users[block_idx] = 0;
            modifiers[block_idx] = 0;
            block_idx += 1;
        }
        let (all, n_rows) = (uses.all(), window.n_rows(order.len()));
        let mut has_folds = false;
        let mut rank = window.first;
        while rank < n_rows {
            let offset = rank - window.first;
            let block = offset / Window::NODES_PER_BLOCK;
            let mask = 1 << (offset % Window::NODES_PER_BLOCK);
            let (mut use_idx, end) = (uses.start(order[rank]), uses.end(order[rank]));
            while use_idx < end {
                let Use { resource, kind, .. } = all[use_idx];
                let block_idx = resource as usize * window.n_blocks + block;
                users[block_idx] |= mask;
                match kind {
                    AccessKind::Read => {}
                    AccessKind::Write => modifiers[block_idx] |= mask,
                    AccessKind::Fold => {
                        modifiers[block_idx] |= mask;
                        has_folds = true;
                    }
                }
                use_idx += 1;
            }
            rank += 1;
        }
        if !memory.non_folders.is_empty() {
            fill_non_folders(uses, order, window, memory.non_folders);
        } else {
            assert!(!has_folds, "there must be masks for nodes that fold");
        }
        if !uses.filters().is_empty() {
            fill_filtered(uses, order, window, memory);
        }
        memory.view(window, uses.filters())
    }
}

impl<'a> Masks<'a> {
    /// The nodes of the window that conflict with this use.
    pub(super) const fn of(self, one: Use) -> &'a [usize] {
        let masks = match one.kind {
            AccessKind::Read => self.modifiers,
            AccessKind::Write => self.users,
            AccessKind::Fold => self.non_folders,
        };
        let n_blocks = self.window.n_blocks;
        let (_, from) = masks.split_at(self.filters.row(one) * n_blocks);
        from.split_at(n_blocks).0
    }

    /// Fills the row of the node of this rank, which has the uses `from..end`, with the later nodes of the window that conflict with
    /// it. Leaves out nodes with a path in `free_of`. If `ordered_by` is given, also leaves out nodes without a path in it.
    ///
    /// `free_of`, `ordered_by`: rows of reachability, as in [`Reach`](crate::graph::reach::Reach). `row` has len = n_blocks. Returns
    /// the first block with later nodes. Earlier blocks are not written. Splits no slices, because that is slow in const evaluation.
    /// Cost: O(uses × n_blocks).
    pub(super) const fn fill_row(
        self,
        uses: Uses<'_>,
        (from, end): (usize, usize),
        rank: usize,
        free_of: &[usize],
        ordered_by: Option<&[usize]>,
        row: &mut [usize],
    ) -> usize {
        let window = self.window;
        let n_blocks = window.n_blocks;
        // A pair belongs to the row of its earlier node, so the row starts after the bit of the node.
        let next = rank + 1;
        let first_block = if next > window.first {
            (next - window.first) / Window::NODES_PER_BLOCK
        } else {
            0
        };
        let mut block = first_block;
        while block < n_blocks {
            row[block] = 0;
            block += 1;
        }
        let all = uses.all();
        let mut use_idx = from;
        while use_idx < end {
            let one = all[use_idx];
            let masks = match one.kind {
                AccessKind::Read => self.modifiers,
                AccessKind::Write => self.users,
                AccessKind::Fold => self.non_folders,
            };
            let start = if one.signature == 0 {
                one.resource as usize * n_blocks
            } else {
                self.filters.row(one) * n_blocks
            };
            let mut block = first_block;
            while block < n_blocks {
                row[block] |= masks[start + block];
                block += 1;
            }
            use_idx += 1;
        }
        if next > window.first && first_block < n_blocks {
            row[first_block] &= usize::MAX << ((next - window.first) % Window::NODES_PER_BLOCK);
        }
        let start = rank * n_blocks;
        let mut block = first_block;
        while block < n_blocks {
            row[block] &= !free_of[start + block];
            block += 1;
        }
        if let Some(ordered_by) = ordered_by {
            let mut block = first_block;
            while block < n_blocks {
                row[block] &= ordered_by[start + block];
                block += 1;
            }
        }
        first_block
    }
}

/// Fills the mask of nodes that read or write each resource.
const fn fill_non_folders(uses: Uses<'_>, order: &[u32], window: Window, blocks: &mut [usize]) {
    let mut block_idx = 0;
    while block_idx < blocks.len() {
        blocks[block_idx] = 0;
        block_idx += 1;
    }
    let mut rank = window.first;
    while rank < window.n_rows(order.len()) {
        let offset = rank - window.first;
        let block = offset / Window::NODES_PER_BLOCK;
        let mask = 1 << (offset % Window::NODES_PER_BLOCK);
        let mut use_idx = uses.start(order[rank]);
        while use_idx < uses.end(order[rank]) {
            let Use { resource, kind, .. } = uses.nth(use_idx);
            if !matches!(kind, AccessKind::Fold) {
                blocks[resource as usize * window.n_blocks + block] |= mask;
            }
            use_idx += 1;
        }
        rank += 1;
    }
}

/// Fills the rows of resources with signatures. A use is in each row of its resource whose signature is not disjoint with that
/// of the use.
const fn fill_filtered(
    uses: Uses<'_>,
    order: &[u32],
    window: Window,
    memory: &mut MasksMemory<'_>,
) {
    let filters = uses.filters();
    let mut rank = window.first;
    while rank < window.n_rows(order.len()) {
        let offset = rank - window.first;
        let block = offset / Window::NODES_PER_BLOCK;
        let mask = 1 << (offset % Window::NODES_PER_BLOCK);
        let mut use_idx = uses.start(order[rank]);
        while use_idx < uses.end(order[rank]) {
            let one = uses.nth(use_idx);
            memory.set_filtered(filters, one, window, (block, mask));
            use_idx += 1;
        }
        rank += 1;
    }
}

#[cfg(test)]
mod tests;
