//! Which events may be taken: a set for each thread that takes.
//!
//! What a thread makes ready it puts into its own set, and takes from there, the oldest first. Who has nothing takes half of what
//! another has, into its own; but for that, only the dispatcher looks into the sets of others, which has to see that they have enough, and
//! puts what arrives there.
//! So a look costs little most of the time, whoever is busy with one event keeps no other, and what passes from one processor to
//! another is the set, not each event of it.
//!
//! That a set belongs to a thread is a habit, not a rule: all of them may be put into and taken from by anyone.
//!
//! A set is words of bits, and one word more, the summary, that says in which of them there may be something: to look is to look
//! at that first, however many slots there are. It is a guess that is never too small for long: who puts something into an empty
//! word says so there; who finds a word empty takes that back, and looks again.

use crossbeam_utils::CachePadded;

use schedule::internal::sync::{AtomicU32, AtomicU64, Ordering, needed};

/// Words of a cache line.
const N_WORDS: usize = 8;
/// Shares of which each is one event.
const ONE_BY_ONE: u32 = 64;

/// See the module.
#[derive(Debug)]
pub(super) struct Ready {
    /// By set, so many lines each: the summary, and then the words of which bit i of word w says whether the event of slot
    /// 64 w + i is in it.
    lines: Box<[CachePadded<[AtomicU64; N_WORDS]>]>,
    n_lines: usize,
    n_sets: usize,
    /// The slot of the oldest event that has not gone. A guess, for who takes.
    oldest: CachePadded<AtomicU32>,
}

impl Ready {
    /// For so many slots, a power of two.
    pub(super) fn new(n_slots: usize, n_sets: usize) -> Self {
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

    pub(super) fn n_sets(&self) -> usize {
        self.n_sets
    }

    /// The set of a thread. To divide would take longer than all else here.
    #[inline(always)]
    fn set_of(&self, thread: usize) -> usize {
        match thread < self.n_sets {
            true => thread,
            false => thread % self.n_sets,
        }
    }

    /// In which words of a set there may be something.
    #[inline(always)]
    fn summary(&self, set: usize) -> &AtomicU64 {
        &self.lines[set * self.n_lines][0]
    }

    #[inline(always)]
    fn word(&self, set: usize, word: usize) -> &AtomicU64 {
        let nth = 1 + word;
        &self.lines[set * self.n_lines + nth / N_WORDS][nth % N_WORDS]
    }

    /// The words of a set in which there may be something, from the oldest event on, and what may be taken there in turn.
    #[inline]
    fn words(&self, set: usize, oldest: usize) -> impl Iterator<Item = (usize, u64)> {
        // Relaxed: who puts something there says so soon.
        let summary = self.summary(set).load(Ordering::Relaxed);
        let (first, from) = (oldest / 64, u64::MAX << (oldest % 64));
        let above = u64::MAX << first;
        let old = ones(summary & above).map(move |word| match word == first {
            true => (word, from),
            false => (word, u64::MAX),
        });
        let young = ones(summary & !above).map(|word| (word, u64::MAX));
        // The slots of the first word before that are the youngest.
        let youngest = (summary & 1 << first != 0).then_some((first, !from));
        old.chain(young).chain(youngest)
    }

    /// Where the oldest event is that has not gone. About.
    #[inline(always)]
    pub(super) fn oldest(&self) -> usize {
        // Relaxed: a guess.
        self.oldest.load(Ordering::Relaxed) as usize
    }

    /// The events of a set, as far as this thread sees, by words.
    #[inline]
    fn bits(&self, set: usize) -> impl Iterator<Item = (usize, u64)> {
        self.words(set, self.oldest())
            .filter_map(move |(word, mask)| {
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

    /// Puts events into a set that may be taken, and of which nobody else knows: bits of a word of slots.
    #[inline]
    pub(super) fn put(&self, set: usize, word: usize, bits: u64) {
        let set = self.set_of(set);
        // Release: pairs with the Acquire in `take_from`.
        let before = self
            .word(set, word)
            .fetch_or(bits, needed("put", Ordering::Release));
        let (summary, bit) = (self.summary(set), 1 << word);
        // Relaxed: if it was not empty, that is in the summary, or will be soon, but who says so may be late.
        if before == 0 || summary.load(Ordering::Relaxed) & bit == 0 {
            // Release: pairs with the Acquire in `forget`.
            summary.fetch_or(bit, needed("summary", Ordering::Release));
        }
    }

    /// A word of a set was found empty.
    #[inline]
    fn forget(&self, set: usize, word: usize) {
        let (summary, bit) = (self.summary(set), 1 << word);
        // Relaxed: another one may have been faster.
        if summary.load(Ordering::Relaxed) & bit == 0 {
            return;
        }
        // Acquire: pairs with the Release in `put`: if that was said before, it is seen below.
        summary.fetch_and(!bit, needed("forget", Ordering::Acquire));
        // Relaxed: as above.
        if self.word(set, word).load(Ordering::Relaxed) != 0 {
            // Relaxed: what `put` said before goes on being released by this.
            summary.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// How many there are in a set, as far as this thread sees.
    #[inline]
    pub(super) fn len(&self, set: usize) -> u32 {
        self.bits(self.set_of(set))
            .map(|(_, bits)| bits.count_ones())
            .sum()
    }

    /// Whether there is none in any, as far as this thread sees.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        (0..self.n_sets).all(|set| self.bits(set).next().is_none())
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
        for (word, mask) in self.words(set, oldest) {
            let place = self.word(set, word);
            // Relaxed: the exchange decides.
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

/// The numbers of the bits that are set, the lowest first.
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
    fn the_oldest_comes_first_wherever_the_ring_begins() {
        for n_slots in [64, 256, 2048, 4096] {
            let ready = Ready::new(n_slots, 1);
            for oldest in [0, 63, 64, 200, n_slots - 1] {
                let oldest = oldest % n_slots;
                ready.set_oldest(oldest);
                let slots = [3, 7, 40, n_slots - 23, n_slots - 1];
                let slots = slots.map(|nth| (oldest + nth) % n_slots);
                for slot in slots {
                    ready.put(0, slot / 64, 1 << (slot % 64));
                }
                assert_eq!(ready.peek(0)[0], Some(slots[0]));
                assert_eq!(ready.len(0), 5);
                assert_eq!(all_of(&ready, 0), slots);
                assert_eq!(
                    ready.summary(0).load(Ordering::Relaxed),
                    0,
                    "all is forgotten"
                );
            }
        }
    }

    #[test]
    fn who_has_nothing_takes_the_older_half_of_what_another_has() {
        let ready = Ready::new(64, 3);
        ready.put(0, 0, 0b11_1111);
        assert_eq!(ready.take(2), Some(0));
        assert_eq!([ready.len(0), ready.len(1), ready.len(2)], [3, 0, 2]);
        assert_eq!(ready.take(1), Some(1), "of the next one that has some");
        assert_eq!([0, 1, 2].map(|set| ready.len(set)), [3, 0, 1]);
        assert!(!ready.is_empty());
        while ready.take(1).is_some() {}
        assert!(ready.is_empty());
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
