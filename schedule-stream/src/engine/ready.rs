//! Ready events: the events that can be taken, in one set per thread.
//!
//! A thread adds events that become ready to its own set, and takes the oldest one from there. If its set is empty, it
//! takes half of another set and adds the rest to its own. Otherwise only the dispatcher looks into the sets of other
//! threads: it adds arriving events, and checks that helpers have enough.
//!
//! So a look is usually cheap, and a thread with a long event does not keep the events of its set. Sets move between
//! processors, not single events.
//!
//! Each set may be used by any thread. A thread only prefers its own.
//!
//! A set consists of words of bits and a summary word. The summary has a bit for each word that may not be empty, so a
//! look tests one word, however many slots there are. The summary may briefly lack a bit. A thread that adds to an
//! empty word sets its bit. A thread that finds a word empty clears its bit, and looks at the word again.

use crossbeam_utils::CachePadded;

use schedule::internal::sync::{AtomicU32, AtomicU64, Ordering, needed};

/// Words in a cache line.
const N_WORDS: usize = 8;
/// A number of shares for which each share is one event.
const ONE_BY_ONE: u32 = 64;

/// See the module.
#[derive(Debug)]
pub(crate) struct Ready {
    /// By set, `n_lines` each: the summary, and then the words. Bit i of word w is set if the event of slot 64 w + i is
    /// in the set.
    lines: Box<[CachePadded<[AtomicU64; N_WORDS]>]>,
    n_lines: usize,
    n_sets: usize,
    /// The slot of the oldest event that is not released. A hint for threads that take events.
    oldest: CachePadded<AtomicU32>,
}

impl Ready {
    /// Creates the sets. `n_slots` is a power of two.
    pub(crate) fn new(n_slots: usize, n_sets: usize) -> Self {
        let n_words = n_slots.div_ceil(64);
        assert!(n_words <= 64, "too many slots");
        let n_lines = (1 + n_words).div_ceil(N_WORDS);
        let line = |_| CachePadded::new([(); N_WORDS].map(|()| AtomicU64::new(0)));
        Self {
            lines: (0..n_sets * n_lines).map(line).collect(),
            n_lines,
            n_sets,
            oldest: CachePadded::new(AtomicU32::new(0)),
        }
    }

    pub(crate) fn n_sets(&self) -> usize {
        self.n_sets
    }

    /// Returns the set of a thread. The branch avoids a division, which would dominate the cost.
    #[inline(always)]
    fn set_of(&self, thread: usize) -> usize {
        if thread < self.n_sets {
            thread
        } else {
            thread % self.n_sets
        }
    }

    /// Returns the summary of a set.
    #[inline(always)]
    fn summary(&self, set: usize) -> &AtomicU64 {
        &self.lines[set * self.n_lines][0]
    }

    #[inline(always)]
    fn word(&self, set: usize, word: usize) -> &AtomicU64 {
        let nth = 1 + word;
        &self.lines[set * self.n_lines + nth / N_WORDS][nth % N_WORDS]
    }

    /// Returns the words of a set that may not be empty, from the oldest event on, each with the mask of the bits that
    /// come next.
    #[inline]
    fn words(&self, set: usize, oldest: usize) -> impl Iterator<Item = (usize, u64)> {
        // Relaxed: a thread that adds an event sets the bit soon.
        let summary = self.summary(set).load(Ordering::Relaxed);
        let (first, from) = (oldest / 64, u64::MAX << (oldest % 64));
        let above = u64::MAX << first;
        let old = ones(summary & above).map(move |word| {
            if word == first {
                (word, from)
            } else {
                (word, u64::MAX)
            }
        });
        let young = ones(summary & !above).map(|word| (word, u64::MAX));
        // The slots of the first word before the oldest event are the youngest.
        let youngest = (summary & 1 << first != 0).then_some((first, !from));
        old.chain(young).chain(youngest)
    }

    /// Returns the slot of the oldest event that is not released. Approximate.
    #[inline(always)]
    pub(crate) fn oldest(&self) -> usize {
        // Relaxed: a hint.
        self.oldest.load(Ordering::Relaxed) as usize
    }

    /// Returns the events of a set, by words, as far as this thread sees.
    #[inline]
    fn bits(&self, set: usize) -> impl Iterator<Item = (usize, u64)> {
        self.words(set, self.oldest())
            .filter_map(move |(word, mask)| {
                // Relaxed: a hint.
                let bits = self.word(set, word).load(Ordering::Relaxed) & mask;
                (bits != 0).then_some((word, bits))
            })
    }

    /// Sets the slot of the oldest event that is not released.
    #[inline]
    pub(crate) fn set_oldest(&self, slot: usize) {
        // Relaxed: a hint.
        self.oldest.store(slot as u32, Ordering::Relaxed);
    }

    /// Adds ready events that no other thread knows to a set: the bits of a word of slots.
    #[inline]
    pub(crate) fn put(&self, set: usize, word: usize, bits: u64) {
        let set = self.set_of(set);
        // Release: pairs with the Acquire in `take_from`.
        let before = self
            .word(set, word)
            .fetch_or(bits, needed("put", Ordering::Release));
        let (summary, bit) = (self.summary(set), 1 << word);
        // Relaxed: if the word was not empty, its summary bit is set, or another thread will set it soon.
        if before == 0 || summary.load(Ordering::Relaxed) & bit == 0 {
            // Release: pairs with the Acquire in `forget`.
            summary.fetch_or(bit, needed("summary", Ordering::Release));
        }
    }

    /// Clears the summary bit of a word that was found empty.
    #[inline]
    fn forget(&self, set: usize, word: usize) {
        let (summary, bit) = (self.summary(set), 1 << word);
        // Relaxed: another thread may have cleared it.
        if summary.load(Ordering::Relaxed) & bit == 0 {
            return;
        }
        // Acquire: pairs with the Release in `put`, so an event whose summary bit is cleared here is seen below.
        summary.fetch_and(!bit, needed("forget", Ordering::Acquire));
        // Relaxed: the Acquire above makes earlier events visible.
        if self.word(set, word).load(Ordering::Relaxed) != 0 {
            // Relaxed: this continues the release sequence of `put`.
            summary.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Returns the number of events in a set, as far as this thread sees.
    #[inline]
    pub(crate) fn len(&self, set: usize) -> u32 {
        self.bits(self.set_of(set))
            .map(|(_, bits)| bits.count_ones())
            .sum()
    }

    /// Returns whether all sets are empty, as far as this thread sees.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        (0..self.n_sets).all(|set| self.bits(set).next().is_none())
    }

    /// Returns up to two next events of a set, as a hint.
    #[inline]
    pub(crate) fn peek(&self, set: usize) -> [Option<usize>; 2] {
        let slot = |(word, bits): (usize, u64)| 64 * word + bits.trailing_zeros() as usize;
        let first = self.bits(self.set_of(set)).next();
        let second = first.map(|(word, bits)| (word, bits & (bits - 1)));
        [first, second.filter(|(_, bits)| *bits != 0)].map(|few| few.map(slot))
    }

    /// Hands out the oldest event of a set. If the set is empty, takes the older half of another set: one event is
    /// handed out, and the rest goes into this set.
    #[inline]
    pub(crate) fn take(&self, set: usize) -> Option<usize> {
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

    /// Takes a share of the oldest events in one word of a set. Returns the word and its bits.
    #[inline]
    fn take_from(&self, set: usize, oldest: usize, n_shares: u32) -> Option<(usize, u64)> {
        for (word, mask) in self.words(set, oldest) {
            let place = self.word(set, word);
            // Relaxed: the `fetch_and` verifies the bits.
            let all = place.load(Ordering::Relaxed);
            if all == 0 {
                self.forget(set, word);
            }
            let mut bits = all & mask;
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

/// Returns the indices of the set bits, from the lowest.
#[inline(always)]
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn all_of(ready: &Ready, set: usize) -> Vec<usize> {
        core::iter::from_fn(|| ready.take(set)).collect()
    }

    #[test]
    fn oldest_event_comes_first_at_each_start_of_the_ring() {
        for n_slots in [64, 256, 2048, 4096] {
            let ready = Ready::new(n_slots, 1);
            for oldest in [0, 63, 64, 200, n_slots - 1] {
                let oldest = oldest % n_slots;
                ready.set_oldest(oldest);
                let slots =
                    [3, 7, 40, n_slots - 23, n_slots - 1].map(|nth| (oldest + nth) % n_slots);
                for slot in slots {
                    ready.put(0, slot / 64, 1 << (slot % 64));
                }
                assert_eq!(ready.peek(0)[0], Some(slots[0]));
                assert_eq!(ready.len(0), 5);
                assert_eq!(all_of(&ready, 0), slots);
                assert_eq!(
                    ready.summary(0).load(Ordering::Relaxed),
                    0,
                    "the summary is empty"
                );
            }
        }
    }

    #[test]
    fn thread_without_events_takes_the_older_half_of_another_set() {
        let ready = Ready::new(64, 3);
        ready.put(0, 0, 0b11_1111);
        assert_eq!(ready.take(2), Some(0));
        assert_eq!([ready.len(0), ready.len(1), ready.len(2)], [3, 0, 2]);
        assert_eq!(ready.take(1), Some(1), "from the next set with events");
        assert_eq!([0, 1, 2].map(|set| ready.len(set)), [3, 0, 1]);
        assert!(!ready.is_empty());
        while ready.take(1).is_some() {}
        assert!(ready.is_empty());
    }

    #[test]
    fn thread_without_a_set_shares_one() {
        let ready = Ready::new(64, 2);
        ready.put(3, 0, 0b11);
        assert_eq!(ready.len(1), 2);
        assert_eq!(all_of(&ready, 5), [0, 1]);
        assert_eq!(ready.take(0), None);
    }
}
