//! Which events wait for which: for each entity a queue of those that named it.
//!
//! The state that the threads of a stream share. It knows neither events nor entities, so that a model checker can try all of
//! its interleavings. One thread, the front, lets events arrive and go, in order; any thread takes and completes them.
//!
//! An event is a number, its slot, and has a link for each entity that it named. A link is in the queue of its entity: a
//! writer waits for all readers since the writer before it, or for that; a reader waits for the writer before it. Nobody
//! looks for what is ready: who arrives hangs its link on those that it waits for, and who completes an event finds
//! there whom to tell, as in the lock of Mellor-Crummey and Scott (1991). O(1) for each entity that an event named, but
//! that a writer looks at all readers since the writer before it: each of them is looked at once.
//!
//! Invariant: an event that has arrived is handed out once, by [`Queues::arrive`], [`Queues::take`] or
//! [`Queues::complete`]; and only after all that came before it and share an entity with it, of which one of the two is a
//! writer, were completed, so that who gets it sees what was written before those calls.

use core::ptr::NonNull;
use std::collections::HashMap;

use crossbeam_utils::CachePadded;
use foldhash::fast::RandomState;

use super::claim::Use;
use crate::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering, needed};

/// What hangs on a link that is completed.
const COMPLETED: u32 = u32::MAX;
/// What hangs on a link, if nothing does.
const NOTHING: u32 = u32::MAX - 1;
/// More than any event waits for.
const MANY: u32 = 1 << 31;
/// Links that lie in one cache line: those of an event begin with a new one.
const PER_LINE: usize = 4;

/// See the module.
#[derive(Debug)]
pub(super) struct Queues {
    slots: Box<[CachePadded<Slot>]>,
    links: Box<[CachePadded<[Link; PER_LINE]>]>,
    /// Bit i of word w: whether the event of slot 64 w + i may be taken.
    ready: Box<[CachePadded<AtomicU64>]>,
    /// The slot of the oldest event that has not gone. A guess, for who takes.
    oldest: CachePadded<AtomicU32>,
}

#[derive(Debug)]
struct Slot {
    /// How many links of others this event waits for.
    pending: AtomicU32,
    first_link: AtomicU32,
    n_links: AtomicU32,
    /// Whether it is completed, and nobody will touch its links on its account any more.
    is_done: AtomicBool,
}

#[derive(Debug)]
struct Link {
    /// The first of the links that wait for this one, or `NOTHING`, or `COMPLETED`.
    waiting: AtomicU32,
    /// The next link that waits for what this one waits for.
    next: AtomicU32,
    /// Whose link this is.
    slot: AtomicU32,
}

/// What the front alone knows.
#[derive(Debug)]
pub(super) struct Front {
    /// By the address of the entity.
    lines: HashMap<usize, Line, RandomState>,
    /// `before[l]`: the number of the reader that stands before reader l in its line.
    before: Box<[u64]>,
    /// Links have numbers, which are not used again: number n lies at `n % links`. From here on they are free.
    next_link: u64,
    /// Links below are those of events that have gone.
    gone: u64,
}

/// Who stands last in the queue of an entity. Numbers of links plus one, and 0 for nobody; who has gone counts as nobody.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    writer: u64,
    /// Since that writer.
    reader: u64,
}

impl Queues {
    /// For so many events at once, a power of two.
    pub(super) fn new(n_slots: usize) -> Self {
        let slot = |_| {
            CachePadded::new(Slot {
                pending: AtomicU32::new(0),
                first_link: AtomicU32::new(0),
                n_links: AtomicU32::new(0),
                is_done: AtomicBool::new(false),
            })
        };
        let link = |_| Link {
            waiting: AtomicU32::new(NOTHING),
            next: AtomicU32::new(NOTHING),
            slot: AtomicU32::new(0),
        };
        let links = |_| CachePadded::new([0; PER_LINE].map(link));
        Self {
            slots: (0..n_slots).map(slot).collect(),
            links: (0..n_slots).map(links).collect(),
            ready: (0..n_slots.div_ceil(64))
                .map(|_| CachePadded::new(AtomicU64::new(0)))
                .collect(),
            oldest: CachePadded::new(AtomicU32::new(0)),
        }
    }

    /// What the front has to know of it.
    pub(super) fn front(&self) -> Front {
        Front {
            lines: HashMap::default(),
            before: vec![0; self.n_links()].into(),
            next_link: 0,
            gone: 0,
        }
    }

    fn n_links(&self) -> usize {
        self.links.len() * PER_LINE
    }

    fn link(&self, nth: u32) -> &Link {
        let nth = nth as usize;
        &self.links[nth / PER_LINE][nth % PER_LINE]
    }

    fn link_of(&self, number: u64) -> u32 {
        (number as usize & (self.n_links() - 1)) as u32
    }

    /// The most entities that an event may name, to have others beside it.
    pub(super) fn most_claims(&self) -> usize {
        self.n_links() / 4
    }

    /// Whether an event that names so many entities may arrive, as far as links go.
    pub(super) fn has_room(&self, front: &Front, n_claims: usize) -> bool {
        let needed = n_claims.next_multiple_of(PER_LINE) as u64;
        front.next_link + needed - front.gone <= self.n_links() as u64
    }

    /// Lets an event arrive that names these, in a slot from which the last one has gone. Whether it is handed out at once.
    pub(super) fn arrive(
        &self,
        front: &mut Front,
        slot: usize,
        claims: impl Iterator<Item = (NonNull<()>, Use)>,
    ) -> bool {
        let node = &self.slots[slot];
        // Relaxed: nobody else looks at this event before it hangs somewhere, which releases it, or is handed out.
        node.is_done.store(false, Ordering::Relaxed);
        node.pending.store(MANY, Ordering::Relaxed);
        let first = front.next_link;
        node.first_link
            .store(self.link_of(first), Ordering::Relaxed);
        let mut n_pending = 0;
        let mut number = first;
        for (address, how) in claims {
            let nth = self.link_of(number);
            let link = self.link(nth);
            // Relaxed: as above.
            link.waiting.store(NOTHING, Ordering::Relaxed);
            link.slot.store(slot as u32, Ordering::Relaxed);
            let line = front.lines.entry(address.addr().get()).or_default();
            let is_there = |number: u64| number > front.gone;
            if how == Use::Write {
                let mut reader = line.reader;
                if !is_there(reader) && is_there(line.writer) {
                    // All readers have gone, so the writer before them has. Else there were none.
                    let writer = self.link_of(line.writer - 1);
                    n_pending += u32::from(line.reader == 0 && self.hang(nth, writer));
                }
                while is_there(reader) {
                    let other = self.link_of(reader - 1);
                    n_pending += u32::from(self.hang(nth, other));
                    reader = front.before[other as usize];
                }
                *line = Line {
                    writer: number + 1,
                    reader: 0,
                };
            } else {
                if is_there(line.writer) {
                    n_pending += u32::from(self.hang(nth, self.link_of(line.writer - 1)));
                }
                front.before[nth as usize] = line.reader;
                line.reader = number + 1;
            }
            number += 1;
        }
        let n_links = (number - first) as u32;
        node.n_links.store(n_links, Ordering::Relaxed);
        front.next_link = number.next_multiple_of(PER_LINE as u64);
        front.tidy(self.n_links());
        // AcqRel: Release for who decrements last, who gets the event; Acquire: pairs with the Release of who has
        // decremented, if this one is the last.
        let rest = MANY - n_pending;
        node.pending
            .fetch_sub(rest, needed("arrive", Ordering::AcqRel))
            == rest
    }

    /// Lets a link wait for another one of an earlier event. Whether it has to.
    fn hang(&self, link: u32, on: u32) -> bool {
        let waiting = &self.link(on).waiting;
        // Relaxed: the exchange decides; of one that is completed, as below.
        let mut first = waiting.load(Ordering::Relaxed);
        loop {
            if first == COMPLETED {
                // Acquire: pairs with the Release in `complete`: what it wrote is seen by who gets this event from here.
                waiting.load(needed("is completed", Ordering::Acquire));
                return false;
            }
            // Relaxed: released by the exchange.
            self.link(link).next.store(first, Ordering::Relaxed);
            // Release: pairs with the Acquire in `complete`.
            match waiting.compare_exchange(
                first,
                link,
                needed("hang", Ordering::Release),
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => first = now,
            }
        }
    }

    /// Ends an event that this thread was handed out, and hands out those that waited for it only, one by one.
    pub(super) fn complete(&self, slot: usize, mut hand_out: impl FnMut(usize)) {
        let node = &self.slots[slot];
        // Relaxed: written before the event was handed out.
        let first = node.first_link.load(Ordering::Relaxed);
        for nth in 0..node.n_links.load(Ordering::Relaxed) {
            let nth = (first + nth) & (self.n_links() as u32 - 1);
            // AcqRel: Release for who finds it completed; Acquire pairs with the Release in `hang`.
            let waiting = &self.link(nth).waiting;
            let mut other = waiting.swap(COMPLETED, needed("complete", Ordering::AcqRel));
            while other != NOTHING {
                let link = self.link(other);
                // Relaxed: written before it was hung there. Read now, since its event may go once it is told.
                other = link.next.load(Ordering::Relaxed);
                let slot = link.slot.load(Ordering::Relaxed) as usize;
                // AcqRel: Release for who decrements last; Acquire pairs with the Release of all who did before.
                let before = self.slots[slot]
                    .pending
                    .fetch_sub(1, needed("tell", Ordering::AcqRel));
                if before == 1 {
                    hand_out(slot);
                }
            }
        }
        // Release: pairs with the Acquire in `is_done`.
        node.is_done.store(true, needed("done", Ordering::Release));
    }

    /// An event that needs no processing has arrived in a slot.
    pub(super) fn arrive_done(&self, front: &Front, slot: usize) {
        let node = &self.slots[slot];
        // Relaxed: the front alone looks at it.
        node.first_link
            .store(self.link_of(front.next_link), Ordering::Relaxed);
        node.n_links.store(0, Ordering::Relaxed);
        node.is_done.store(true, Ordering::Relaxed);
    }

    /// Whether an event is completed. For the front, which sees then what was written before.
    pub(super) fn is_done(&self, slot: usize) -> bool {
        // Acquire: pairs with the Release in `complete`.
        self.slots[slot]
            .is_done
            .load(needed("is done", Ordering::Acquire))
    }

    /// Lets the oldest event go, which is completed.
    pub(super) fn release(&self, front: &mut Front, slot: usize) {
        // Relaxed: written by this thread.
        let n_links = u64::from(self.slots[slot].n_links.load(Ordering::Relaxed));
        front.gone += n_links.next_multiple_of(PER_LINE as u64);
        let next = (slot + 1) & (self.slots.len() - 1);
        // Relaxed: a guess.
        self.oldest.store(next as u32, Ordering::Relaxed);
    }

    /// Lets others take these events, which were handed out to this thread: bits of a word of slots.
    pub(super) fn put(&self, word: usize, bits: u64) {
        // Release: pairs with the Acquire in `take`.
        self.ready[word].fetch_or(bits, needed("put", Ordering::Release));
    }

    /// Whether there is something to take, as far as this thread sees.
    pub(super) fn n_ready(&self) -> u32 {
        // Relaxed: a guess.
        let words = self.ready.iter();
        words
            .map(|word| word.load(Ordering::Relaxed).count_ones())
            .sum()
    }

    /// Hands out the oldest of the events that were put there: `most` at most, and of those in a word no more than a share,
    /// but one at least.
    pub(super) fn take(&self, most: u32, n_shares: u32) -> Taken {
        // Relaxed: a guess.
        let oldest = self.oldest.load(Ordering::Relaxed) as usize;
        let n_words = self.ready.len();
        for nth in 0..=n_words {
            let word = (oldest / 64 + nth) % n_words;
            // Of the first word, the slots before the oldest are the youngest.
            let mask = match nth {
                0 => u64::MAX << (oldest % 64),
                _ if nth == n_words => !(u64::MAX << (oldest % 64)),
                _ => u64::MAX,
            };
            // Relaxed: the exchange decides.
            let mut bits = self.ready[word].load(Ordering::Relaxed) & mask;
            while bits != 0 {
                let share = bits.count_ones().div_ceil(n_shares).min(most);
                let mut rest = bits;
                for _ in 0..share {
                    rest &= rest - 1;
                }
                let wanted = bits & !rest;
                // Acquire: pairs with the Release in `put`.
                let before = self.ready[word].fetch_and(!wanted, needed("take", Ordering::Acquire));
                if before & wanted != 0 {
                    return Taken {
                        word,
                        bits: before & wanted,
                    };
                }
                bits = before & mask;
            }
        }
        Taken { word: 0, bits: 0 }
    }
}

/// Events that were handed out to a thread, the oldest first.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) word: usize,
    pub(super) bits: u64,
}

impl Taken {
    pub(super) fn is_empty(&self) -> bool {
        self.bits == 0
    }
}

impl Iterator for Taken {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.bits == 0 {
            return None;
        }
        let nth = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(self.word * 64 + nth)
    }
}

impl Front {
    /// Forgets the queues in which nobody stands any more, when there are many. O(1) an event, in the long run.
    fn tidy(&mut self, n_links: usize) {
        if self.lines.len() >= 4 * n_links {
            let gone = self.gone;
            self.lines
                .retain(|_, line| line.writer.max(line.reader) > gone);
        }
    }
}
