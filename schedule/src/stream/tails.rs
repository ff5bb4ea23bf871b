//! Who touched each entity last, by lane: what the front knows of the events in lanes.
//!
//! Of an entity two things are known: who wrote it last, and for each lane, who touched it last there since. A reader
//! waits for that writer, a writer for all of them. As events of a lane are completed in order, each of them is a number, and
//! whoever has gone is one that its lane has passed: nothing has to be taken out. O(1) for a reader, O(lanes) for a writer.
//!
//! Entities whose addresses have the same hash are taken for one, so that now and then an event waits for one that it need
//! not wait for.

use core::ptr::NonNull;

use super::claim::Use;
use super::hash::hash;
use crate::prefetch::prefetch;

/// Lanes at most: who lets events arrive is busy with that if there are more. What is known of an entity takes no more than a
/// line of the cache.
pub(super) const MOST_LANES: usize = 7;

/// See the module.
#[derive(Debug)]
pub(super) struct Tails {
    /// In rows: the last writer, and of each lane, how many it has completed when the last one that touched the entity is.
    words: Box<[u64]>,
    /// A power of two.
    n_rows: usize,
    /// Words in a row.
    n_words: usize,
}

/// An event in a lane; or nobody, which is in none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail(u64);

impl Tail {
    pub(super) const NOBODY: Self = Self(0);
    /// Of the lane.
    const BITS: u32 = 3;

    /// When it is completed, its lane has completed so many.
    #[inline(always)]
    pub(super) fn new(lane: usize, end: u64) -> Self {
        Self(end << Self::BITS | lane as u64)
    }

    #[inline(always)]
    pub(super) fn lane(self) -> usize {
        self.0 as usize % (1 << Self::BITS)
    }

    #[inline(always)]
    pub(super) fn end(self) -> u64 {
        self.0 >> Self::BITS
    }
}

const _: () = assert!(MOST_LANES <= 1 << Tail::BITS);

impl Tails {
    /// Of so many rows, a power of two.
    pub(super) fn new(n_rows: usize, n_lanes: usize) -> Self {
        assert!(n_lanes <= MOST_LANES, "lanes have numbers");
        Self {
            words: vec![0; n_rows * (1 + n_lanes)].into(),
            n_rows,
            n_words: 1 + n_lanes,
        }
    }

    #[inline(always)]
    fn first(&self, address: NonNull<()>) -> usize {
        self.n_words * hash(address, self.n_rows)
    }

    /// Asks for the memory of what is known of an entity.
    #[inline(always)]
    pub(super) fn expect(&self, address: NonNull<()>) {
        let first = self.first(address);
        prefetch(&self.words[first..][..self.n_words]);
    }

    /// Raises how far lanes have to come to that which it takes to use an entity so.
    #[inline(always)]
    pub(super) fn look(&self, address: NonNull<()>, how: Use, until: &mut [u64; MOST_LANES]) {
        let first = self.first(address);
        let row = &self.words[first..][..self.n_words];
        if how == Use::Write {
            for (until, end) in until.iter_mut().zip(&row[1..]) {
                *until = (*until).max(*end);
            }
        } else {
            let writer = Tail(row[0]);
            let until = &mut until[writer.lane()];
            *until = writer.end().max(*until);
        }
    }

    /// This event, the last of its lane, uses an entity so.
    #[inline(always)]
    pub(super) fn join(&mut self, address: NonNull<()>, how: Use, tail: Tail) {
        let first = self.first(address);
        let row = &mut self.words[first..][..self.n_words];
        if how == Use::Write {
            row[0] = tail.0;
            // It waits for these: who waits for it need not know of them.
            row[1..].fill(0);
        }
        row[1 + tail.lane()] = tail.end();
    }
}
