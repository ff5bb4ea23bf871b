//! A set of small numbers that several threads put into and take from, the smallest first.

use core::array;

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicU64, Ordering, needed};

/// A set of numbers below some `n`, `PER_LINE` words of 64 to a cache line. A number that is in it is taken by exactly
/// one thread.
#[derive(Debug)]
pub(super) struct Bits<const PER_LINE: usize> {
    /// Bit i of word w: whether 64 w + i is in the set.
    lines: Box<[CachePadded<[AtomicU64; PER_LINE]>]>,
    n_words: usize,
}

/// For what all threads write: who looks for the first number reads all words.
pub(super) type Close = Bits<{ size_of::<CachePadded<u8>>() / 8 }>;

/// For what different threads write to different words of.
pub(super) type Apart = Bits<1>;

/// How many words behind the first one are looked at to see how much there is to be shared.
const WORDS_TO_SHARE: usize = 3;

impl<const PER_LINE: usize> Bits<PER_LINE> {
    /// The empty set of numbers below `n`.
    pub(super) fn new(n: usize) -> Self {
        let n_words = n.div_ceil(64);
        let lines = (0..n_words.div_ceil(PER_LINE))
            .map(|_| CachePadded::new(array::from_fn(|_| AtomicU64::new(0))));
        Self {
            lines: lines.collect(),
            n_words,
        }
    }

    /// Puts all numbers 64 `word` + i in for which bit i is set. Who takes one sees what was written before.
    pub(super) fn put(&self, word: usize, bits: u64) {
        let word = self.word(word);
        // Release: pairs with the Acquire in `take`. SeqCst: as `Ready::leave` and `Ready::may_sleep` need it.
        word.fetch_or(bits, needed("put", Ordering::SeqCst));
    }

    /// Takes small numbers out: one of `n_shares` shares of what there is, as far as that lies in one word, but one
    /// number at least. O(n / 64).
    pub(super) fn take(&self, n_shares: u32) -> Few {
        let mut words = (0..).zip(self.words());
        while let Some((idx, word)) = words.next() {
            // Relaxed: only a hint; the access that takes decides.
            let mut bits = word.load(Ordering::Relaxed);
            while bits != 0 {
                let behind = words.clone().take(WORDS_TO_SHARE);
                let behind = behind.map(|(_, word)| word.load(Ordering::Relaxed).count_ones());
                let n = bits.count_ones() + behind.sum::<u32>();
                let mask = lowest(bits, n / n_shares);
                // Acquire: pairs with the Release in `put`.
                let before = word.fetch_and(!mask, needed("take", Ordering::Acquire));
                if before & mask != 0 {
                    return Few {
                        word: idx,
                        bits: before & mask,
                    };
                }
                bits = word.load(Ordering::Relaxed);
            }
        }
        Few::NOTHING
    }

    /// The smallest numbers, as a hint: those in the first word that has any. O(n / 64).
    pub(super) fn peek(&self) -> Few {
        let words = (0..).zip(self.words());
        let words = words.map(|(word, bits)| Few {
            word,
            bits: bits.load(Ordering::Relaxed),
        });
        let mut filled = words.filter(|first| first.bits != 0);
        filled.next().unwrap_or(Few::NOTHING)
    }

    /// Whether nothing is in it, in the one order of all `SeqCst` accesses.
    pub(super) fn is_empty(&self) -> bool {
        self.words().all(|word| word.load(Ordering::SeqCst) == 0)
    }

    /// Takes one number of a few out that were put in together; of those that others have not taken meanwhile.
    pub(super) fn take_of(&self, few: &mut Few) -> Option<u32> {
        loop {
            let number = few.pop()?;
            let mask = 1 << (number % 64);
            let word = self.word(few.word as usize);
            // Relaxed: this thread put it in itself.
            if word.fetch_and(!mask, Ordering::Relaxed) & mask != 0 {
                return Some(number);
            }
        }
    }

    fn word(&self, idx: usize) -> &AtomicU64 {
        &self.lines[idx / PER_LINE][idx % PER_LINE]
    }

    fn words(&self) -> impl Iterator<Item = &AtomicU64> + Clone {
        let words = self.lines.iter().flat_map(|line| line.iter());
        words.take(self.n_words)
    }
}

/// Numbers of one word: 64 `word` + i for each bit i that is set.
#[derive(Debug, PartialEq)]
pub(super) struct Few {
    pub(super) word: u32,
    pub(super) bits: u64,
}

impl Few {
    pub(super) const NOTHING: Self = Self { word: 0, bits: 0 };

    /// The smallest one, which is then in it no more.
    pub(super) fn pop(&mut self) -> Option<u32> {
        if self.bits == 0 {
            return None;
        }
        let bit = self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(64 * self.word + bit)
    }
}

/// The `n` lowest of the bits that are set, one at least; all, if they are fewer.
fn lowest(bits: u64, n: u32) -> u64 {
    let mut rest = bits & (bits - 1);
    for _ in 1..n {
        rest &= rest.wrapping_sub(1);
    }
    bits & !rest
}
