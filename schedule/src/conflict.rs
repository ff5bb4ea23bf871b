//! Which nodes conflict, found through the users of each resource.
//!
//! Nodes and resources are numbers here. A node that touches everything is written out by the caller as a user of
//! every resource, and a node that runs alone as the writer of a resource that all others read: then one rule is
//! enough, "two nodes conflict if they share a resource that one of them writes".
//!
//! To look at all pairs of nodes would cost as much as there are pairs. Instead every resource has two bit masks, its
//! users and its writers; what conflicts with a node is the union of a mask for each of its uses, and what remains of
//! that when the nodes before and after it are taken away is its races. That is O(uses × nodes / 64).

use crate::graph::reach::Reach;
use crate::graph::window::Window;

/// That a node touches a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Use {
    pub(crate) resource: u32,
    pub(crate) is_write: bool,
}

/// What every node touches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uses<'a> {
    /// `starts[v]..starts[v + 1]`: the uses of node v; len = n_nodes + 1.
    starts: &'a [u32],
    /// The uses of a node ascend by resource, and name none twice.
    uses: &'a [Use],
}

impl<'a> Uses<'a> {
    /// A view of both slices.
    ///
    /// # Panics
    ///
    /// If the lengths do not fit together.
    pub(crate) const fn new(starts: &'a [u32], uses: &'a [Use]) -> Self {
        assert!(
            !starts.is_empty() && starts[starts.len() - 1] as usize == uses.len(),
            "starts must have len = n_nodes + 1, and end with the number of uses"
        );
        Self { starts, uses }
    }

    pub(crate) const fn n_nodes(self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) const fn n_uses(self) -> usize {
        self.uses.len()
    }

    /// The index of the first use of a node.
    pub(crate) const fn start(self, node: u32) -> usize {
        self.starts[node as usize] as usize
    }

    /// One past the last use of a node.
    pub(crate) const fn end(self, node: u32) -> usize {
        self.starts[node as usize + 1] as usize
    }

    pub(crate) const fn nth(self, use_idx: usize) -> Use {
        self.uses[use_idx]
    }

    /// What a node touches.
    pub(crate) fn of(self, node: u32) -> &'a [Use] {
        &self.uses[self.start(node)..self.end(node)]
    }

    /// The resources on which two nodes conflict.
    pub(crate) const fn shared(self, first: u32, second: u32) -> Shared<'a> {
        Shared {
            uses: self,
            first: self.start(first),
            first_end: self.end(first),
            second: self.start(second),
            second_end: self.end(second),
        }
    }
}

/// Walks through the resources that two nodes share and at least one of them writes, by merging their uses.
/// O(uses of both).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared<'a> {
    uses: Uses<'a>,
    first: usize,
    first_end: usize,
    second: usize,
    second_end: usize,
}

/// A resource on which two nodes conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) resource: u32,
    pub(crate) first_writes: bool,
    pub(crate) second_writes: bool,
}

impl Shared<'_> {
    /// The next one, in ascending order.
    pub(crate) const fn next(&mut self) -> Option<Conflict> {
        while self.first < self.first_end && self.second < self.second_end {
            let first = self.uses.nth(self.first);
            let second = self.uses.nth(self.second);
            if first.resource < second.resource {
                self.first += 1;
            } else if first.resource > second.resource {
                self.second += 1;
            } else {
                self.first += 1;
                self.second += 1;
                if first.is_write || second.is_write {
                    return Some(Conflict {
                        resource: first.resource,
                        first_writes: first.is_write,
                        second_writes: second.is_write,
                    });
                }
            }
        }
        None
    }
}

/// The users and the writers of every resource among the nodes of a window.
///
/// Nodes are numbered by rank, as the window numbers them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Masks<'a> {
    window: Window,
    /// `users[r * n_blocks..][..n_blocks]`: bit k is set if node `window.first + k` touches resource r.
    users: &'a [usize],
    /// The same for those that write it.
    writers: &'a [usize],
}

impl<'a> Masks<'a> {
    /// Fills both, each of len = n_resources × `window.n_blocks`. `order[rank]` is the node of that rank.
    ///
    /// Cost: O(n_resources × n_blocks + uses in the window).
    pub(crate) const fn fill(
        uses: Uses<'_>,
        order: &[u32],
        window: Window,
        users: &'a mut [usize],
        writers: &'a mut [usize],
    ) -> Self {
        let mut block_idx = 0;
        while block_idx < users.len() {
            users[block_idx] = 0;
            writers[block_idx] = 0;
            block_idx += 1;
        }
        let mut rank = window.first;
        while rank < window.n_rows(order.len()) {
            let offset = rank - window.first;
            let block = offset / Window::NODES_PER_BLOCK;
            let mask = 1 << (offset % Window::NODES_PER_BLOCK);
            let node = order[rank];
            let mut use_idx = uses.start(node);
            while use_idx < uses.end(node) {
                let one = uses.nth(use_idx);
                let block_idx = one.resource as usize * window.n_blocks + block;
                users[block_idx] |= mask;
                if one.is_write {
                    writers[block_idx] |= mask;
                }
                use_idx += 1;
            }
            rank += 1;
        }
        Self {
            window,
            users,
            writers,
        }
    }
}

/// Walks through the conflicting pairs of a window, earlier rank first: those without a path in `free_of`, and, if
/// `ordered_by` is given, with one in that.
///
/// Every pair is met once, whatever it shares. Cost: O(uses × n_blocks + pairs).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairs<'a> {
    uses: Uses<'a>,
    order: &'a [u32],
    masks: Masks<'a>,
    free_of: Reach<'a>,
    ordered_by: Option<Reach<'a>>,
    /// The rank whose row is being walked through, and one past it as soon as it is filled.
    rank: usize,
    /// Where in its row.
    block: usize,
}

impl<'a> Pairs<'a> {
    /// Starts before the first pair.
    pub(crate) const fn new(
        uses: Uses<'a>,
        order: &'a [u32],
        masks: Masks<'a>,
        free_of: Reach<'a>,
        ordered_by: Option<Reach<'a>>,
    ) -> Self {
        Self {
            uses,
            order,
            masks,
            free_of,
            ordered_by,
            rank: 0,
            block: masks.window.n_blocks,
        }
    }

    /// The next pair, as nodes. `row` has len = n_blocks and is left alone between two calls.
    pub(crate) const fn next(&mut self, row: &mut [usize]) -> Option<(u32, u32)> {
        let window = self.masks.window;
        loop {
            while self.block < window.n_blocks {
                let bits = row[self.block];
                if bits != 0 {
                    row[self.block] = bits & (bits - 1);
                    let offset = self.block * Window::NODES_PER_BLOCK;
                    let later = window.first + offset + bits.trailing_zeros() as usize;
                    return Some((self.order[self.rank - 1], self.order[later]));
                }
                self.block += 1;
            }
            if self.rank >= window.n_rows(self.order.len()) {
                return None;
            }
            self.fill_row(row);
            self.rank += 1;
        }
    }

    /// Fills the row of the current rank with what conflicts with it, comes later, and is one of the wanted pairs.
    const fn fill_row(&mut self, row: &mut [usize]) {
        let Masks {
            window,
            users,
            writers,
        } = self.masks;
        let n_blocks = window.n_blocks;
        // Of each pair the earlier one asks: the first block of interest is the one after its own bit.
        let next = self.rank + 1;
        let first_block = if next > window.first {
            (next - window.first) / Window::NODES_PER_BLOCK
        } else {
            0
        };
        self.block = first_block;
        let mut block = first_block;
        while block < n_blocks {
            row[block] = 0;
            block += 1;
        }
        let node = self.order[self.rank];
        let mut use_idx = self.uses.start(node);
        while use_idx < self.uses.end(node) {
            let one = self.uses.nth(use_idx);
            let masks = if one.is_write { users } else { writers };
            let start = one.resource as usize * n_blocks;
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
        let free_of = self.free_of.row(self.rank as u32);
        let mut block = first_block;
        while block < n_blocks {
            row[block] &= !free_of[block];
            block += 1;
        }
        if let Some(reach) = self.ordered_by {
            let ordered_by = reach.row(self.rank as u32);
            let mut block = first_block;
            while block < n_blocks {
                row[block] &= ordered_by[block];
                block += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests;
