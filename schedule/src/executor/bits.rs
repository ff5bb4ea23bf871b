//! A set of small numbers that several threads put into and take from, the smallest first.

use core::array;

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicU64, Ordering, needed};

/// A set of numbers below some `n`. A number that is in it is taken by exactly one thread.
#[derive(Debug)]
pub(super) struct Bits {
    /// Bit i of word w: whether 64 w + i is in the set. Close together, since who looks for the first one reads them
    /// all; apart from everything else, since they are written all the time.
    lines: Box<[CachePadded<[AtomicU64; WORDS_PER_LINE]>]>,
    n_words: usize,
}

const WORDS_PER_LINE: usize = size_of::<CachePadded<u8>>() / 8;

impl Bits {
    /// The empty set of numbers below `n`.
    pub(super) fn new(n: usize) -> Self {
        let n_words = n.div_ceil(64);
        let lines = (0..n_words.div_ceil(WORDS_PER_LINE))
            .map(|_| CachePadded::new(array::from_fn(|_| AtomicU64::new(0))));
        Self {
            lines: lines.collect(),
            n_words,
        }
    }

    /// Puts all numbers 64 `word` + i in for which bit i is set. Who takes one sees what was written before.
    pub(super) fn put(&self, word: usize, bits: u64) {
        let word = &self.lines[word / WORDS_PER_LINE][word % WORDS_PER_LINE];
        // Release: pairs with the Acquire in `take`. SeqCst: as `Ready::leave` and `Ready::may_sleep` need it.
        word.fetch_or(bits, needed("put", Ordering::SeqCst));
    }

    /// Takes the smallest number out. O(n / 64).
    pub(super) fn take(&self) -> Option<u32> {
        for (idx, word) in (0..).zip(self.words()) {
            // Relaxed: only a hint; the access that takes decides.
            let mut bits = word.load(Ordering::Relaxed);
            while bits != 0 {
                let bit = bits.trailing_zeros();
                let mask = 1 << bit;
                // Acquire: pairs with the Release in `put`.
                if word.fetch_and(!mask, needed("take", Ordering::Acquire)) & mask != 0 {
                    return Some(64 * idx + bit);
                }
                bits = word.load(Ordering::Relaxed);
            }
        }
        None
    }

    /// Whether nothing is in it, in the one order of all `SeqCst` accesses.
    pub(super) fn is_empty(&self) -> bool {
        self.words().all(|word| word.load(Ordering::SeqCst) == 0)
    }

    fn words(&self) -> impl Iterator<Item = &AtomicU64> {
        self.lines
            .iter()
            .flat_map(|line| line.iter())
            .take(self.n_words)
    }
}
