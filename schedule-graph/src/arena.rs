//! Memory for code that runs at run time and in const evaluation, which has no heap.
//!
//! An [`Arena`] hands out slices of given memory. A type that needs memory has a function that takes all of it from an arena,
//! given the maximum sizes of the input. The function runs twice: first with an arena that only counts, then with an arena of
//! the counted size.
#![expect(
    clippy::mem_replace_with_default,
    reason = "`core::mem::take` cannot be called in a `const fn`"
)]

use crate::conflict::Use;
use crate::exclusion::Needed;
use crate::graph::edge::Edge;

/// The error of a function that has too little memory. The caller repeats the call with more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// The numbers of elements of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Words: `u32` numbers.
    pub n_words: usize,
    /// Blocks of bits.
    pub n_blocks: usize,
    /// Edges.
    pub n_edges: usize,
    /// Uses of resources.
    pub n_uses: usize,
    /// Needs of nodes: answers of conditions.
    pub n_needed: usize,
}

/// Hands out parts of a slice, or counts the requested elements.
#[derive(Debug)]
pub struct Pool<'a, T> {
    free: &'a mut [T],
    n_taken: usize,
    is_counting: bool,
}

impl<'a, T> Pool<'a, T> {
    /// Creates a pool that hands out empty slices and counts the requested elements.
    pub const fn counting() -> Self {
        Self {
            free: &mut [],
            n_taken: 0,
            is_counting: true,
        }
    }

    /// Creates a pool that hands out parts of this slice.
    pub const fn new(free: &'a mut [T]) -> Self {
        Self {
            free,
            n_taken: 0,
            is_counting: false,
        }
    }

    /// Takes `n` elements. Their content is arbitrary.
    ///
    /// # Panics
    ///
    /// If fewer than `n` elements are left.
    pub const fn take(&mut self, n: usize) -> &'a mut [T] {
        self.n_taken += n;
        if self.is_counting {
            return &mut [];
        }
        let all = core::mem::replace(&mut self.free, &mut []);
        let (taken, rest) = all.split_at_mut(n);
        self.free = rest;
        taken
    }

    /// The number of elements that were requested so far.
    pub const fn n_taken(&self) -> usize {
        self.n_taken
    }
}

/// Hands out memory of each kind, or counts the requested elements.
#[derive(Debug)]
pub struct Arena<'a> {
    words: Pool<'a, u32>,
    blocks: Pool<'a, usize>,
    edges: Pool<'a, Edge>,
    uses: Pool<'a, Use>,
    needed: Pool<'a, Needed>,
}

impl<'a> Arena<'a> {
    /// Creates an arena that hands out empty slices and counts the requested elements.
    pub const fn counting() -> Self {
        Self {
            words: Pool::counting(),
            blocks: Pool::counting(),
            edges: Pool::counting(),
            uses: Pool::counting(),
            needed: Pool::counting(),
        }
    }

    /// Creates an arena that hands out parts of these slices.
    pub const fn new(
        words: &'a mut [u32],
        blocks: &'a mut [usize],
        edges: &'a mut [Edge],
        uses: &'a mut [Use],
        needed: &'a mut [Needed],
    ) -> Self {
        Self {
            words: Pool::new(words),
            blocks: Pool::new(blocks),
            edges: Pool::new(edges),
            uses: Pool::new(uses),
            needed: Pool::new(needed),
        }
    }

    /// Takes `n` words. Their content is arbitrary.
    ///
    /// # Panics
    ///
    /// This function and the other ones that take memory panic if fewer than `n` elements are left.
    pub const fn words(&mut self, n: usize) -> &'a mut [u32] {
        self.words.take(n)
    }

    /// Takes `n` blocks of bits. Their content is arbitrary.
    pub const fn blocks(&mut self, n: usize) -> &'a mut [usize] {
        self.blocks.take(n)
    }

    /// Takes `n` edges. Their content is arbitrary.
    pub const fn edges(&mut self, n: usize) -> &'a mut [Edge] {
        self.edges.take(n)
    }

    /// Takes `n` uses of resources. Their content is arbitrary.
    pub const fn uses(&mut self, n: usize) -> &'a mut [Use] {
        self.uses.take(n)
    }

    /// Takes `n` needs of nodes. Their content is arbitrary.
    pub const fn needed(&mut self, n: usize) -> &'a mut [Needed] {
        self.needed.take(n)
    }

    /// The numbers of elements that were requested so far.
    pub const fn taken(&self) -> Sizes {
        Sizes {
            n_words: self.words.n_taken(),
            n_blocks: self.blocks.n_taken(),
            n_edges: self.edges.n_taken(),
            n_uses: self.uses.n_taken(),
            n_needed: self.needed.n_taken(),
        }
    }
}

/// The memory of an [`Arena`], on the heap.
#[derive(Debug)]
pub struct Heap {
    words: Vec<u32>,
    blocks: Vec<usize>,
    edges: Vec<Edge>,
    uses: Vec<Use>,
    needed: Vec<Needed>,
}

impl Heap {
    /// Allocates as much memory as `take` requests.
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

    /// An arena that hands out this memory.
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

/// A list in a slice. Its maximum length is the length of the slice.
#[derive(Debug)]
pub struct List<'a, T> {
    items: &'a mut [T],
    len: usize,
}

impl<'a, T: Copy> List<'a, T> {
    /// Creates an empty list in this memory.
    pub const fn new(items: &'a mut [T]) -> Self {
        Self { items, len: 0 }
    }

    /// Returns the list and leaves one without memory in its place.
    pub const fn take(&mut self) -> Self {
        core::mem::replace(self, Self::new(&mut []))
    }

    /// The items as a slice, with the lifetime of the memory.
    pub const fn into_slice(self) -> &'a mut [T] {
        self.items.split_at_mut(self.len).0
    }

    /// The number of items.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no items.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the list has as many items as its memory holds.
    pub const fn is_full(&self) -> bool {
        self.n_free() == 0
    }

    /// The number of items that can be added.
    pub const fn n_free(&self) -> usize {
        self.items.len() - self.len
    }

    /// Adds an item.
    ///
    /// # Panics
    ///
    /// If the memory is full.
    pub const fn push(&mut self, item: T) {
        self.items[self.len] = item;
        self.len += 1;
    }

    /// Removes and returns the last item.
    pub const fn pop(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        Some(self.items[self.len])
    }

    /// Shortens the list to `len` items.
    pub const fn truncate(&mut self, len: usize) {
        self.len = len;
    }

    /// The item at this index. Does not check the length, because each check costs time in const evaluation.
    pub const fn at(&self, idx: usize) -> T {
        self.items[idx]
    }

    /// As [`List::at`], by reference.
    pub const fn get(&self, idx: usize) -> &T {
        &self.items[idx]
    }

    /// Replaces the item at this index.
    pub const fn set(&mut self, idx: usize, item: T) {
        self.items[idx] = item;
    }

    /// All items.
    pub const fn as_slice(&self) -> &[T] {
        self.items.split_at(self.len).0
    }

    /// All items, to change them.
    pub const fn as_mut_slice(&mut self) -> &mut [T] {
        self.items.split_at_mut(self.len).0
    }
}

/// Sets all elements to one value.
pub(crate) const fn fill(items: &mut [u32], value: u32) {
    let n_items = items.len();
    let mut idx = 0;
    while idx < n_items {
        items[idx] = value;
        idx += 1;
    }
}
