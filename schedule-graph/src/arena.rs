//! Memory for code that runs at run time and in const evaluation, which has no heap.
//!
//! An [`Arena`] hands out slices, each once. Code that needs memory has a function that takes all of it, given how much
//! there is of everything. That function runs twice: with an arena that only counts, and with one of that size.
#![expect(
    clippy::mem_replace_with_default,
    reason = "`core::mem::take` cannot be called in a `const fn`"
)]

use crate::conflict::Use;
use crate::exclusion::Needed;
use crate::graph::edge::Edge;

/// How many elements of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Numbers.
    pub n_words: usize,
    /// Blocks of bits.
    pub n_blocks: usize,
    /// Edges.
    pub n_edges: usize,
    /// Uses of resources.
    pub n_uses: usize,
    /// Answers that nodes need.
    pub n_needed: usize,
}

/// Hands out memory, or counts how much is asked for.
#[derive(Debug)]
pub struct Arena<'a> {
    words: &'a mut [u32],
    blocks: &'a mut [usize],
    edges: &'a mut [Edge],
    uses: &'a mut [Use],
    needed: &'a mut [Needed],
    taken: Sizes,
    is_counting: bool,
}

macro_rules! take {
    ($($(#[$doc:meta])* $name:ident: $field:ident, $count:ident, $ty:ty;)*) => {
        impl<'a> Arena<'a> {$(
            $(#[$doc])*
            pub const fn $name(&mut self, n: usize) -> &'a mut [$ty] {
                self.taken.$count += n;
                if self.is_counting {
                    return &mut [];
                }
                let all = core::mem::replace(&mut self.$field, &mut []);
                let (taken, rest) = all.split_at_mut(n);
                self.$field = rest;
                taken
            }
        )*}
    };
}

take! {
    /// Takes numbers, with any content.
    ///
    /// # Panics
    ///
    /// If fewer are left, as all of these functions.
    words: words, n_words, u32;
    /// Takes blocks of bits, with any content.
    blocks: blocks, n_blocks, usize;
    /// Takes edges, with any content.
    edges: edges, n_edges, Edge;
    /// Takes uses of resources, with any content.
    uses: uses, n_uses, Use;
    /// Takes answers that nodes need, with any content.
    needed: needed, n_needed, Needed;
}

impl Sizes {
    /// Nothing.
    pub const NONE: Self = Self {
        n_words: 0,
        n_blocks: 0,
        n_edges: 0,
        n_uses: 0,
        n_needed: 0,
    };
}

impl<'a> Arena<'a> {
    /// Hands out empty slices and counts what is asked for.
    pub const fn counting() -> Self {
        Self {
            words: &mut [],
            blocks: &mut [],
            edges: &mut [],
            uses: &mut [],
            needed: &mut [],
            taken: Sizes::NONE,
            is_counting: true,
        }
    }

    /// Hands out parts of these slices.
    pub const fn new(
        words: &'a mut [u32],
        blocks: &'a mut [usize],
        edges: &'a mut [Edge],
        uses: &'a mut [Use],
        needed: &'a mut [Needed],
    ) -> Self {
        Self {
            words,
            blocks,
            edges,
            uses,
            needed,
            taken: Sizes::NONE,
            is_counting: false,
        }
    }

    /// How much was asked for so far.
    pub const fn taken(&self) -> Sizes {
        self.taken
    }
}

/// Memory of an [`Arena`] on the heap.
#[derive(Debug)]
pub struct Heap {
    words: Vec<u32>,
    blocks: Vec<usize>,
    edges: Vec<Edge>,
    uses: Vec<Use>,
    needed: Vec<Needed>,
}

impl Heap {
    /// As much as `take` asks for.
    pub fn of<T>(take: impl FnOnce(&mut Arena<'static>) -> T) -> Self {
        let mut arena = Arena::counting();
        take(&mut arena);
        let sizes = arena.taken();
        Self {
            words: vec![0; sizes.n_words],
            blocks: vec![0; sizes.n_blocks],
            edges: vec![Edge { from: 0, to: 0 }; sizes.n_edges],
            uses: vec![Use::NONE; sizes.n_uses],
            needed: vec![Needed::NONE; sizes.n_needed],
        }
    }

    /// Hands it out.
    pub fn arena(&mut self) -> Arena<'_> {
        Arena::new(
            &mut self.words,
            &mut self.blocks,
            &mut self.edges,
            &mut self.uses,
            &mut self.needed,
        )
    }
}

/// A list in a slice, which bounds its length.
#[derive(Debug)]
pub struct List<'a, T> {
    items: &'a mut [T],
    len: usize,
}

impl<'a, T: Copy> List<'a, T> {
    /// Empty, in this memory.
    pub const fn new(items: &'a mut [T]) -> Self {
        Self { items, len: 0 }
    }

    /// All of it; leaves a list without memory.
    pub const fn take(&mut self) -> Self {
        core::mem::replace(self, Self::new(&mut []))
    }

    /// The items as a slice, for as long as the memory lives.
    pub const fn into_slice(self) -> &'a mut [T] {
        self.items.split_at_mut(self.len).0
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether there is no memory for another one.
    pub const fn is_full(&self) -> bool {
        self.len == self.items.len()
    }

    /// Adds one.
    ///
    /// # Panics
    ///
    /// If the memory is full.
    pub const fn push(&mut self, item: T) {
        self.items[self.len] = item;
        self.len += 1;
    }

    /// The last one, which is removed.
    pub const fn pop(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        Some(self.items[self.len])
    }

    /// Leaves so many.
    pub const fn truncate(&mut self, len: usize) {
        self.len = len;
    }

    /// The item at this index. Does not check the length, because each check costs time in const evaluation.
    pub const fn at(&self, idx: usize) -> T {
        self.items[idx]
    }

    /// Replaces the item at this index.
    pub const fn set(&mut self, idx: usize, item: T) {
        self.items[idx] = item;
    }

    /// All items.
    pub const fn as_slice(&self) -> &[T] {
        self.items.split_at(self.len).0
    }
}

/// Sets all elements to one value.
pub(crate) const fn fill(items: &mut [u32], value: u32) {
    let mut idx = 0;
    while idx < items.len() {
        items[idx] = value;
        idx += 1;
    }
}
