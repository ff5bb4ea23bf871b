//! Which events may be taken: a set for each thread that takes.
//!
//! What a thread makes ready it puts into its own set, and takes from there, the oldest first: that costs little, since others
//! look there only when they have nothing. Then they take half of what is left, into their own. So whoever is busy with one
//! event keeps no other, and what passes from one processor to another is the set, not each event of it.
//!
//! That a set belongs to a thread is a habit, not a rule: all of them may be put into and taken from by anyone.

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicU32, AtomicU64, Ordering, needed};

/// Words of a cache line.
const N_WORDS: usize = 8;
/// Shares of which each is one event.
const ONE_BY_ONE: u32 = 64;

/// See the module.
#[derive(Debug)]
pub(super) struct Ready {
    /// Bit i of word w of a set: whether the event of slot 64 w + i is in it.
    lines: Box<[CachePadded<[AtomicU64; N_WORDS]>]>,
    /// Of a set: a power of two.
    n_words: usize,
    n_sets: usize,
    /// The slot of the oldest event that has not gone. A guess, for who takes.
    oldest: CachePadded<AtomicU32>,
}

impl Ready {
    /// For so many slots, a power of two.
    pub(super) fn new(n_slots: usize, n_sets: usize) -> Self {
        let n_words = n_slots.div_ceil(64);
        let n_lines = n_sets * n_words.div_ceil(N_WORDS);
        let line = |_| CachePadded::new([(); N_WORDS].map(|()| AtomicU64::new(0)));
        Self {
            lines: (0..n_lines).map(line).collect(),
            n_words,
            n_sets,
            oldest: CachePadded::new(AtomicU32::new(0)),
        }
    }

    /// The set of a thread. To divide would take longer than all else here.
    #[inline(always)]
    fn set_of(&self, thread: usize) -> usize {
        match thread < self.n_sets {
            true => thread,
            false => thread % self.n_sets,
        }
    }

    #[inline(always)]
    fn word(&self, set: usize, word: usize) -> &AtomicU64 {
        let line = set * self.n_words.div_ceil(N_WORDS) + word / N_WORDS;
        &self.lines[line][word % N_WORDS]
    }

    /// All words of a set, from the oldest event on, and what may be taken there in turn.
    #[inline]
    fn words(&self, oldest: usize) -> impl Iterator<Item = (usize, u64)> {
        let n_words = self.n_words;
        let words = (0..=n_words).map(move |nth| {
            // The slots of the first word before that are the youngest.
            let mask = match nth {
                0 => u64::MAX << (oldest % 64),
                _ if nth == n_words => !(u64::MAX << (oldest % 64)),
                _ => u64::MAX,
            };
            ((oldest / 64 + nth) & (n_words - 1), mask)
        });
        words.filter(|(_, mask)| *mask != 0)
    }

    #[inline(always)]
    fn oldest(&self) -> usize {
        // Relaxed: a guess.
        self.oldest.load(Ordering::Relaxed) as usize
    }

    /// The events of a set, as far as this thread sees, by words.
    #[inline]
    fn bits(&self, set: usize) -> impl Iterator<Item = (usize, u64)> {
        self.words(self.oldest()).filter_map(move |(word, mask)| {
            // Relaxed: a hint.
            let bits = self.word(set, word).load(Ordering::Relaxed) & mask;
            (bits != 0).then_some((word, bits))
        })
    }

    /// Where the oldest event is that has not gone.
    #[inline]
    pub(super) fn set_oldest(&self, slot: usize) {
        // Relaxed: a guess.
        self.oldest.store(slot as u32, Ordering::Relaxed);
    }

    /// Puts events into a set that were handed out to this thread: bits of a word of slots.
    #[inline]
    pub(super) fn put(&self, set: usize, word: usize, bits: u64) {
        // Release: pairs with the Acquire in `take_from`.
        let word = self.word(self.set_of(set), word);
        word.fetch_or(bits, needed("put", Ordering::Release));
    }

    /// How many there are in a set, as far as this thread sees.
    #[inline]
    pub(super) fn len(&self, set: usize) -> u32 {
        self.bits(self.set_of(set))
            .map(|(_, bits)| bits.count_ones())
            .sum()
    }

    /// The same in all of them.
    pub(super) fn len_of_all(&self) -> u32 {
        (0..self.n_sets).map(|set| self.len(set)).sum()
    }

    /// The next ones of a set, as a hint: two at most.
    #[inline]
    pub(super) fn peek(&self, set: usize) -> [Option<usize>; 2] {
        let slot = |(word, bits): (usize, u64)| 64 * word + bits.trailing_zeros() as usize;
        let first = self.bits(self.set_of(set)).next();
        let second = first.map(|(word, bits)| (word, bits & (bits - 1)));
        [first, second.filter(|(_, bits)| *bits != 0)].map(|few| few.map(slot))
    }

    /// Hands out the oldest event of a set; if there is none, one of another set, of which the older half goes into this one.
    #[inline]
    pub(super) fn take(&self, set: usize) -> Option<usize> {
        let set = self.set_of(set);
        let oldest = self.oldest();
        let (word, bits) = match self.take_from(set, oldest, ONE_BY_ONE) {
            Some(taken) => taken,
            None => {
                let (before, after) = (0..set, set + 1..self.n_sets);
                let mut others = after.chain(before);
                others.find_map(|other| self.take_from(other, oldest, 2))?
            }
        };
        let rest = bits & (bits - 1);
        if rest != 0 {
            self.put(set, word, rest);
        }
        Some(64 * word + bits.trailing_zeros() as usize)
    }

    /// Takes the oldest events of a set, of those in one word a share: bits of that.
    #[inline]
    fn take_from(&self, set: usize, oldest: usize, n_shares: u32) -> Option<(usize, u64)> {
        for (word, mask) in self.words(oldest) {
            let place = self.word(set, word);
            // Relaxed: the exchange decides.
            let mut bits = place.load(Ordering::Relaxed) & mask;
            while bits != 0 {
                let mut rest = bits;
                for _ in 0..bits.count_ones().div_ceil(n_shares) {
                    rest &= rest - 1;
                }
                let wanted = bits & !rest;
                // Acquire: pairs with the Release in `put`.
                let before = place.fetch_and(!wanted, needed("take", Ordering::Acquire));
                if before & wanted != 0 {
                    return Some((word, before & wanted));
                }
                bits = before & mask;
            }
        }
        None
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn all_of(ready: &Ready, set: usize) -> Vec<usize> {
        core::iter::from_fn(|| ready.take(set)).collect()
    }

    #[test]
    fn the_oldest_comes_first_wherever_the_ring_begins() {
        let ready = Ready::new(256, 1);
        for oldest in [0, 63, 64, 200] {
            ready.set_oldest(oldest);
            let slots = [3, 130, 199, 200, 255].map(|nth| (oldest + nth) % 256);
            for slot in slots {
                ready.put(0, slot / 64, 1 << (slot % 64));
            }
            assert_eq!(ready.peek(0)[0], Some(slots[0]));
            assert_eq!(ready.len(0), 5);
            assert_eq!(all_of(&ready, 0), slots);
        }
    }

    #[test]
    fn who_has_nothing_takes_the_older_half_of_what_another_has() {
        let ready = Ready::new(64, 3);
        ready.put(0, 0, 0b11_1111);
        assert_eq!(ready.take(2), Some(0));
        assert_eq!([ready.len(0), ready.len(1), ready.len(2)], [3, 0, 2]);
        assert_eq!(ready.take(1), Some(1), "of the next one that has some");
        assert_eq!(ready.len_of_all(), 4);
    }

    #[test]
    fn a_thread_more_than_there_are_sets_shares_one() {
        let ready = Ready::new(64, 2);
        ready.put(3, 0, 0b11);
        assert_eq!(ready.len(1), 2);
        assert_eq!(all_of(&ready, 5), [0, 1]);
        assert_eq!(ready.take(0), None);
    }
}
