//! A set of small numbers that several threads put into and take from, lowest first.

use core::{array, iter};

use crossbeam_utils::CachePadded;

use crate::base::sync::{AtomicU64, Ordering, model_fence, needed};

/// A set of the numbers below some `n`, with `PER_LINE` words of 64 numbers per cache line. Each number in the set is
/// taken by exactly one thread.
#[derive(Debug)]
pub(super) struct Bits<const PER_LINE: usize> {
    /// Bit i of word w: whether 64 w + i is in the set.
    lines: Box<[CachePadded<[AtomicU64; PER_LINE]>]>,
    n_words: usize,
    /// Bit i of word s: whether word 64 s + i may be other than 0. Empty if the set has so few words that `take` looks
    /// at all of them.
    summary: Box<[AtomicU64]>,
}

/// For sets whose words all threads write.
pub(super) type SharedBits = Bits<{ size_of::<CachePadded<u8>>() / 8 }>;

/// For sets whose words are written by different threads.
pub(super) type PaddedBits = Bits<1>;

/// The maximum number of words that are searched without a summary.
fn most_without_summary() -> usize {
    #[cfg(loom)]
    return crate::base::sync::model::most_words_without_summary();
    #[cfg(not(loom))]
    16
}

/// The number of words after the first one that are included in the count of numbers to share.
const WORDS_TO_SHARE: usize = 3;

impl<const PER_LINE: usize> Bits<PER_LINE> {
    /// Creates the empty set of numbers below `n`.
    pub(super) fn new(n: usize) -> Self {
        let n_words = n.div_ceil(64);
        let lines = (0..n_words.div_ceil(PER_LINE))
            .map(|_| CachePadded::new(array::from_fn(|_| AtomicU64::new(0))));
        let n_summary = if n_words <= most_without_summary() {
            0
        } else {
            n_words.div_ceil(64)
        };
        Self {
            lines: lines.collect(),
            n_words,
            summary: (0..n_summary).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Puts numbers in. The thread that takes one of them sees everything that was written before.
    pub(super) fn put(&self, WordBits { word, bits }: WordBits) {
        let word = word as usize;
        // Release: pairs with the Acquire in `take_from`. SeqCst: required by `Ready::leave`, `Ready::may_sleep` and
        // the summary.
        self.word(word)
            .fetch_or(bits, needed("put", Ordering::SeqCst));
        if let Some(summary) = self.summary.get(word / 64) {
            model_fence("put, summary");
            // SeqCst: either this sees that `take` has cleared the bit, or that `take` sees the put numbers.
            let mask = 1 << (word % 64);
            if summary.load(Ordering::SeqCst) & mask == 0 {
                summary.fetch_or(mask, Ordering::SeqCst);
            }
        }
    }

    /// Takes the lowest numbers of one word: the share `1 / n_shares` of the numbers at hand, and at least one number.
    /// O(n / 64). For sets of more than 16 words O(n / 4096), plus the words that were emptied meanwhile.
    pub(super) fn take(&self, n_shares: u32) -> WordBits {
        if self.summary.is_empty() {
            let found = (0..self.n_words).find_map(|word| self.take_from(word, n_shares));
            return found.unwrap_or(WordBits::NOTHING);
        }
        for (idx, summary) in self.summary.iter().enumerate() {
            // Relaxed: only a hint.
            let mut words = summary.load(Ordering::Relaxed);
            while words != 0 {
                let mask = words & words.wrapping_neg();
                let word = 64 * idx + words.trailing_zeros() as usize;
                if let Some(few) = self.take_from(word, n_shares) {
                    return few;
                }
                summary.fetch_and(!mask, Ordering::SeqCst);
                model_fence("clear, word");
                if self.word(word).load(Ordering::SeqCst) == 0 {
                    words &= !mask;
                } else {
                    // The word was filled between the two looks. The other thread may have seen the bit before it was
                    // cleared.
                    summary.fetch_or(mask, Ordering::SeqCst);
                }
            }
        }
        WordBits::NOTHING
    }

    fn take_from(&self, idx: usize, n_shares: u32) -> Option<WordBits> {
        let word = self.word(idx);
        // Relaxed: only a hint, since `fetch_and` decides.
        let mut bits = word.load(Ordering::Relaxed);
        while bits != 0 {
            let behind = idx + 1..self.n_words.min(idx + 1 + WORDS_TO_SHARE);
            let behind = behind.map(|word| self.word(word).load(Ordering::Relaxed).count_ones());
            let n = bits.count_ones() + behind.sum::<u32>();
            let mask = lowest(bits, n / n_shares);
            // Acquire: pairs with the Release in `put`.
            let before = word.fetch_and(!mask, needed("take", Ordering::Acquire));
            if before & mask != 0 {
                return Some(WordBits {
                    word: idx as u32,
                    bits: before & mask,
                });
            }
            bits = word.load(Ordering::Relaxed);
        }
        None
    }

    /// Takes one of the numbers that this thread has put in, if other threads have left any.
    pub(super) fn take_of(&self, few: &mut WordBits) -> Option<u32> {
        loop {
            let number = few.pop()?;
            let mask = 1 << (number % 64);
            // Relaxed: this thread has put the number in.
            let before = self
                .word(few.word as usize)
                .fetch_and(!mask, Ordering::Relaxed);
            if before & mask != 0 {
                return Some(number);
            }
        }
    }

    /// Returns some of the lowest numbers, all of one word, as a hint. O(n / 64), or as `take`.
    pub(super) fn peek(&self) -> WordBits {
        let look = |word: usize| WordBits {
            word: word as u32,
            // Relaxed: only a hint.
            bits: self.word(word).load(Ordering::Relaxed),
        };
        let found = if self.summary.is_empty() {
            (0..self.n_words).map(look).find(|few| few.bits != 0)
        } else {
            let summaries = self.summary.iter().enumerate();
            let words = summaries.flat_map(|(idx, summary)| {
                let mut words = WordBits {
                    word: idx as u32,
                    bits: summary.load(Ordering::Relaxed),
                };
                iter::from_fn(move || words.pop())
            });
            words
                .map(|word| look(word as usize))
                .find(|few| few.bits != 0)
        };
        found
            .filter(|few| few.bits != 0)
            .unwrap_or(WordBits::NOTHING)
    }

    /// Whether the set is empty, in the total order of all `SeqCst` accesses. O(n / 64).
    ///
    /// Looks at every word: a thread that takes may have cleared a bit of the summary too early and not restored it
    /// yet.
    pub(super) fn is_empty(&self) -> bool {
        (0..self.n_words).all(|word| self.word(word).load(Ordering::SeqCst) == 0)
    }

    fn word(&self, idx: usize) -> &AtomicU64 {
        &self.lines[idx / PER_LINE][idx % PER_LINE]
    }
}

/// Numbers of one word: 64 `word` + i for each bit i that is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WordBits {
    pub(super) word: u32,
    pub(super) bits: u64,
}

impl WordBits {
    pub(super) const NOTHING: Self = Self { word: 0, bits: 0 };

    pub(super) fn one(number: u32) -> Self {
        Self {
            word: number / 64,
            bits: 1 << (number % 64),
        }
    }

    /// Removes and returns the lowest number.
    pub(super) fn pop(&mut self) -> Option<u32> {
        if self.bits == 0 {
            return None;
        }
        let bit = self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(64 * self.word + bit)
    }
}

/// The `n` lowest of the set bits, at least one. All of them, if there are fewer.
fn lowest(bits: u64, n: u32) -> u64 {
    let mut rest = bits & (bits - 1);
    for _ in 1..n {
        rest &= rest.wrapping_sub(1);
    }
    bits & !rest
}
