//! Memory for const evaluation, which has no heap: slices that are handed out piece by piece, and lists in them.
#![expect(
    clippy::mem_replace_with_default,
    reason = "`take` cannot be called in a `const fn`"
)]

use super::node::{Node, Said};
use crate::access::ResourceType;
use schedule_graph::Edge;
use schedule_graph::Policy;
use schedule_graph::internal::{Arena, Needed, Sizes, Use};

/// What is left of each kind.
#[derive(Debug)]
pub(crate) struct Memory<'a> {
    pub(crate) words: &'a mut [u32],
    pub(crate) blocks: &'a mut [usize],
    pub(crate) edges: &'a mut [Edge],
    pub(crate) uses: &'a mut [Use],
    pub(crate) needed: &'a mut [Needed],
    pub(crate) resources: &'a mut [ResourceType],
    pub(crate) nodes: &'a mut [Node],
    pub(crate) said: &'a mut [Said],
    pub(crate) policies: &'a mut [Option<Policy>],
    pub(crate) pairs: &'a mut [(u32, u32, Policy)],
}

macro_rules! take {
    ($($(#[$doc:meta])* $name:ident: $field:ident, $ty:ty;)*) => {
        impl<'a> Memory<'a> {$(
            $(#[$doc])*
            pub(super) const fn $name(&mut self, n: usize) -> &'a mut [$ty] {
                let all = core::mem::replace(&mut self.$field, &mut []);
                let (taken, rest) = all.split_at_mut(n);
                self.$field = rest;
                taken
            }
        )*}
    };
}

take! {
    /// So many words. Panics if fewer are left, as all of these do.
    take_words: words, u32;
    /// So many blocks.
    take_blocks: blocks, usize;
    /// So many edges.
    take_edges: edges, Edge;
    /// So many uses.
    take_uses: uses, Use;
    /// So many needs.
    take_needed: needed, Needed;
    /// So many resources.
    take_resources: resources, ResourceType;
    /// So many nodes.
    take_nodes: nodes, Node;
    /// So many places where something is said.
    take_said: said, Said;
    /// So many policies.
    take_policies: policies, Option<Policy>;
    /// So many policies of pairs.
    take_pairs: pairs, (u32, u32, Policy);
}

impl<'a> Memory<'a> {
    /// So much, for what is shared with the builder.
    pub(super) const fn arena(&mut self, sizes: Sizes) -> Arena<'a> {
        Arena::new(
            self.take_words(sizes.n_words),
            self.take_blocks(sizes.n_blocks),
            self.take_edges(sizes.n_edges),
            self.take_uses(sizes.n_uses),
            self.take_needed(sizes.n_needed),
        )
    }
}

/// A list in memory of its own, which bounds its length.
#[derive(Debug)]
pub(super) struct List<'a, T> {
    items: &'a mut [T],
    len: usize,
}

impl<'a, T: Copy> List<'a, T> {
    pub(super) const fn new(items: &'a mut [T]) -> Self {
        Self { items, len: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) const fn push(&mut self, item: T) {
        self.items[self.len] = item;
        self.len += 1;
    }

    pub(super) const fn truncate(&mut self, len: usize) {
        self.len = len;
    }

    /// Without a look at the length, which const evaluation would pay for.
    pub(super) const fn at(&self, idx: usize) -> T {
        self.items[idx]
    }

    pub(super) const fn get(&self, idx: usize) -> &T {
        &self.items[idx]
    }

    pub(super) const fn set(&mut self, idx: usize, item: T) {
        self.items[idx] = item;
    }

    pub(super) const fn as_slice(&self) -> &[T] {
        self.items.split_at(self.len).0
    }
}

/// Rows of bits.
#[derive(Debug)]
pub(super) struct Bits<'a> {
    blocks: &'a mut [usize],
    width: usize,
}

impl<'a> Bits<'a> {
    /// How many blocks such rows take.
    pub(super) const fn n_blocks(n_rows: usize, n_columns: usize) -> usize {
        n_rows * n_columns.div_ceil(usize::BITS as usize)
    }

    /// All clear.
    pub(super) const fn new(memory: &mut Memory<'a>, n_rows: usize, n_columns: usize) -> Self {
        let blocks = memory.take_blocks(Self::n_blocks(n_rows, n_columns));
        let mut idx = 0;
        while idx < blocks.len() {
            blocks[idx] = 0;
            idx += 1;
        }
        Self {
            blocks,
            width: n_columns.div_ceil(usize::BITS as usize),
        }
    }

    pub(super) const fn has(&self, row: usize, column: usize) -> bool {
        let block = self.blocks[row * self.width + column / usize::BITS as usize];
        block >> (column % usize::BITS as usize) & 1 == 1
    }

    /// The first that is set in a row, from this column on.
    pub(super) const fn next(&self, row: usize, column: usize) -> Option<usize> {
        let mut block = column / usize::BITS as usize;
        let mut mask = usize::MAX << (column % usize::BITS as usize);
        while block < self.width {
            let bits = self.blocks[row * self.width + block] & mask;
            if bits != 0 {
                return Some(block * usize::BITS as usize + bits.trailing_zeros() as usize);
            }
            mask = usize::MAX;
            block += 1;
        }
        None
    }

    /// Returns whether that is new.
    pub(super) const fn set(&mut self, row: usize, column: usize) -> bool {
        let block = &mut self.blocks[row * self.width + column / usize::BITS as usize];
        let mask = 1 << (column % usize::BITS as usize);
        let is_new = *block & mask == 0;
        *block |= mask;
        is_new
    }

    /// Adds a row to another. Returns whether anything in that is new.
    pub(super) const fn merge(&mut self, from: usize, into: usize) -> bool {
        let mut is_new = false;
        let mut idx = 0;
        while idx < self.width {
            let more = self.blocks[from * self.width + idx];
            let block = &mut self.blocks[into * self.width + idx];
            is_new |= more & !*block != 0;
            *block |= more;
            idx += 1;
        }
        is_new
    }

    /// Leaves in a row what is in another one, too.
    pub(super) const fn intersect(&mut self, from: usize, into: usize) {
        let mut idx = 0;
        while idx < self.width {
            self.blocks[into * self.width + idx] &= self.blocks[from * self.width + idx];
            idx += 1;
        }
    }

    pub(super) const fn clear(&mut self, row: usize) {
        let mut idx = 0;
        while idx < self.width {
            self.blocks[row * self.width + idx] = 0;
            idx += 1;
        }
    }

    pub(super) const fn copy(&mut self, from: usize, into: usize) {
        let mut idx = 0;
        while idx < self.width {
            self.blocks[into * self.width + idx] = self.blocks[from * self.width + idx];
            idx += 1;
        }
    }
}
