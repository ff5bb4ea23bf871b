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
pub struct Use {
    /// The resource.
    pub resource: u32,
    /// Whether the node writes it; else it reads it.
    pub is_write: bool,
}

impl Use {
    /// For memory that nothing was written to.
    pub const NONE: Self = Self {
        resource: 0,
        is_write: false,
    };
}

/// What every node touches.
#[derive(Clone, Copy, Debug)]
pub struct Uses<'a> {
    /// `starts[v]..starts[v + 1]`: the uses of node v; len = n_nodes + 1.
    starts: &'a [u32],
    /// The uses of a node ascend by resource, and name none twice.
    uses: &'a [Use],
}

impl<'a> Uses<'a> {
    /// Of no node.
    pub const NONE: Self = Self {
        starts: &[0],
        uses: &[],
    };

    /// A view of both slices.
    ///
    /// # Panics
    ///
    /// If the lengths do not fit together.
    pub const fn new(starts: &'a [u32], uses: &'a [Use]) -> Self {
        assert!(
            !starts.is_empty() && starts[starts.len() - 1] as usize == uses.len(),
            "starts must have len = n_nodes + 1, and end with the number of uses"
        );
        Self { starts, uses }
    }

    /// `starts[v]..starts[v + 1]`: the uses of node v; len = n_nodes + 1.
    pub const fn starts(self) -> &'a [u32] {
        self.starts
    }

    /// The uses of all nodes.
    pub const fn all(self) -> &'a [Use] {
        self.uses
    }

    /// The number of nodes.
    pub const fn n_nodes(self) -> usize {
        self.starts.len() - 1
    }

    /// The number of uses of all nodes.
    pub const fn n_uses(self) -> usize {
        self.uses.len()
    }

    /// The index of the first use of a node.
    pub const fn start(self, node: u32) -> usize {
        self.starts[node as usize] as usize
    }

    /// One past the last use of a node.
    pub const fn end(self, node: u32) -> usize {
        self.starts[node as usize + 1] as usize
    }

    /// The use at this index.
    pub const fn nth(self, use_idx: usize) -> Use {
        self.uses[use_idx]
    }

    /// What a node touches.
    pub const fn of(self, node: u32) -> &'a [Use] {
        let (_, from) = self.uses.split_at(self.start(node));
        from.split_at(self.end(node) - self.start(node)).0
    }

    /// The uses of the first `n_nodes` nodes.
    pub const fn first(self, n_nodes: usize) -> Self {
        let starts = self.starts.split_at(n_nodes + 1).0;
        Self {
            starts,
            uses: self.uses.split_at(starts[n_nodes] as usize).0,
        }
    }

    /// The resources on which two nodes conflict.
    pub const fn shared(self, first: u32, second: u32) -> Shared<'a> {
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
pub struct Shared<'a> {
    uses: Uses<'a>,
    first: usize,
    first_end: usize,
    second: usize,
    second_end: usize,
}

/// A resource on which two nodes conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The resource.
    pub resource: u32,
    /// Whether the first node writes it.
    pub first_writes: bool,
    /// Whether the second node writes it.
    pub second_writes: bool,
}

impl Shared<'_> {
    /// The next one, in ascending order.
    pub const fn next(&mut self) -> Option<Conflict> {
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
        Self::view(window, users, writers)
    }

    /// A view of blocks that were filled before.
    pub(crate) const fn view(window: Window, users: &'a [usize], writers: &'a [usize]) -> Self {
        Self {
            window,
            users,
            writers,
        }
    }
}

impl Masks<'_> {
    /// Fills the row of a node with the nodes of the window that conflict with it and come later: those without a path in
    /// `free_of`, and, if `ordered_by` is given, with one in that. `rank`: that of the node.
    ///
    /// `row` has len = n_blocks. Returns its first block of interest; those before it are left alone.
    /// Cost: O(uses × n_blocks).
    pub(crate) const fn fill_row(
        self,
        uses: &[Use],
        rank: usize,
        free_of: Reach<'_>,
        ordered_by: Option<Reach<'_>>,
        row: &mut [usize],
    ) -> usize {
        let Masks {
            window,
            users,
            writers,
        } = self;
        let n_blocks = window.n_blocks;
        // Of each pair the earlier one asks: the first block of interest is the one after its own bit.
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
        let mut use_idx = 0;
        while use_idx < uses.len() {
            let one = uses[use_idx];
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
        let free_of = free_of.row(rank as u32);
        let mut block = first_block;
        while block < n_blocks {
            row[block] &= !free_of[block];
            block += 1;
        }
        if let Some(reach) = ordered_by {
            let ordered_by = reach.row(rank as u32);
            let mut block = first_block;
            while block < n_blocks {
                row[block] &= ordered_by[block];
                block += 1;
            }
        }
        first_block
    }
}

#[cfg(test)]
mod tests;
