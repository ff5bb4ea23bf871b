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

use core::ptr::{NonNull, null_mut};
// Hints are none of what is to be modelled.
use core::sync::atomic::AtomicPtr;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::claim::Use;
use super::ready::Ready;
use crate::prefetch::{prefetch_line_to_write, prefetch_to_write};
use crate::sync::{AtomicBool, AtomicU32, Ordering, needed};

/// What hangs on a link that is completed.
const COMPLETED: u32 = u32::MAX;
/// What hangs on a link, if nothing does.
const NOTHING: u32 = u32::MAX - 1;
/// More than any event waits for.
const MANY: u32 = 1 << 31;
/// Links that an event has in its slot; more of them lie apart.
const FEW: usize = 4;
/// How many more there may be apart, for each slot.
const PER_SLOT: usize = 4;
/// Of so many entities that an event writes, the memory is asked for ahead.
const N_HINTS: usize = 2;

/// See the module.
#[derive(Debug)]
pub(super) struct Queues {
    slots: Box<[Slot]>,
    /// Those for which there is no room in a slot, in a ring, and whose each of them is.
    apart: Box<[Link]>,
    slot_of_apart: Box<[AtomicU32]>,
    ready: Ready,
}

/// All that threads tell each other of an event: one cache line, if it names few entities.
#[derive(Debug)]
#[repr(align(64))]
struct Slot {
    /// How many links of others this event waits for.
    pending: AtomicU32,
    n_links: AtomicU32,
    /// The first of the links that lie apart.
    first_apart: AtomicU32,
    /// Whether it is completed, and nobody will touch its links on its account any more.
    is_done: AtomicBool,
    links: [Link; FEW],
    /// Where entities are that it writes.
    hints: [AtomicPtr<()>; N_HINTS],
}

#[derive(Debug)]
struct Link {
    /// The first of the links that wait for this one, or `NOTHING`, or `COMPLETED`.
    waiting: AtomicU32,
    /// The next link that waits for what this one waits for.
    next: AtomicU32,
}

impl Link {
    fn new() -> Self {
        Self {
            waiting: AtomicU32::new(NOTHING),
            next: AtomicU32::new(NOTHING),
        }
    }
}

/// What the front alone knows.
#[derive(Debug)]
pub(super) struct Front {
    /// By the address of the entity.
    lines: HashMap<usize, Line, RandomState>,
    /// `before[l]`: the reader that stands before reader l in its line.
    before: Box<[Standing]>,
    /// How many events have arrived, and how many of them have gone.
    n_come: u64,
    n_gone: u64,
    /// Links apart have numbers, which are not used again: number n lies at `n % apart.len()`. From here on they are free,
    /// and below `apart_gone`.
    next_apart: u64,
    apart_gone: u64,
}

/// A link, and how many events had arrived with its own: 0 for nobody. Who has gone counts as nobody.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    nth: u64,
    link: u32,
}

/// Who stands last in the queue of an entity.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    writer: Standing,
    /// Since that writer.
    reader: Standing,
}

impl Queues {
    /// For so many events at once, a power of two, and so many threads.
    pub(super) fn new(n_slots: usize, n_threads: usize) -> Self {
        let slot = |_| Slot {
            pending: AtomicU32::new(0),
            n_links: AtomicU32::new(0),
            first_apart: AtomicU32::new(0),
            is_done: AtomicBool::new(false),
            links: [(); FEW].map(|()| Link::new()),
            hints: [(); N_HINTS].map(|()| AtomicPtr::new(null_mut())),
        };
        let apart = 0..PER_SLOT * n_slots;
        Self {
            slots: (0..n_slots).map(slot).collect(),
            apart: apart.clone().map(|_| Link::new()).collect(),
            slot_of_apart: apart.map(|_| AtomicU32::new(0)).collect(),
            ready: Ready::new(n_slots, n_threads),
        }
    }

    /// What the front has to know of it.
    pub(super) fn front(&self) -> Front {
        let n_links = FEW * self.slots.len() + self.apart.len();
        Front {
            lines: HashMap::default(),
            before: vec![Standing::default(); n_links].into(),
            n_come: 0,
            n_gone: 0,
            next_apart: 0,
            apart_gone: 0,
        }
    }

    /// Which events may be taken.
    pub(super) fn ready(&self) -> &Ready {
        &self.ready
    }

    /// The links in slots come first, then those apart.
    fn link(&self, nth: u32) -> &Link {
        let nth = nth as usize;
        match self.slots.get(nth / FEW) {
            Some(slot) => &slot.links[nth % FEW],
            None => &self.apart[nth - FEW * self.slots.len()],
        }
    }

    /// Whose link that is.
    fn slot_of(&self, link: u32) -> usize {
        let nth = link as usize;
        match nth.checked_sub(FEW * self.slots.len()) {
            None => nth / FEW,
            // Relaxed: written before it was hung anywhere.
            Some(nth) => self.slot_of_apart[nth].load(Ordering::Relaxed) as usize,
        }
    }

    /// The number of a link of the event in a slot, of which those apart begin at `first_apart`.
    fn number(&self, slot: usize, first_apart: u32, nth: usize) -> u32 {
        if nth < FEW {
            return (FEW * slot + nth) as u32;
        }
        let nth = (first_apart as usize + nth - FEW) & (self.apart.len() - 1);
        (FEW * self.slots.len() + nth) as u32
    }

    /// The most entities that an event may name, to have others beside it.
    pub(super) fn most_claims(&self) -> usize {
        self.apart.len() / 4
    }

    /// Whether an event that names so many entities may arrive, as far as links go.
    pub(super) fn has_room(&self, front: &Front, n_claims: usize) -> bool {
        let n_apart = n_claims.saturating_sub(FEW) as u64;
        front.next_apart + n_apart - front.apart_gone <= self.apart.len() as u64
    }

    /// Lets an event arrive that names these, in a slot from which the last one has gone. Whether it is handed out at once.
    pub(super) fn arrive(
        &self,
        front: &mut Front,
        slot: usize,
        claims: impl Iterator<Item = (NonNull<()>, Use)>,
    ) -> bool {
        let node = &self.slots[slot];
        let first_apart = (front.next_apart as usize & (self.apart.len() - 1)) as u32;
        // Relaxed: nobody else looks at this event before it hangs somewhere, which releases it, or is handed out.
        node.is_done.store(false, Ordering::Relaxed);
        node.pending.store(MANY, Ordering::Relaxed);
        node.first_apart.store(first_apart, Ordering::Relaxed);
        front.n_come += 1;
        let nth = front.n_come;
        let (mut n_pending, mut n_links) = (0, 0);
        let mut hints = node.hints.iter();
        for (address, how) in claims {
            let link = self.number(slot, first_apart, n_links);
            n_links += 1;
            let me = Standing { nth, link };
            // Relaxed: as above.
            self.link(link).waiting.store(NOTHING, Ordering::Relaxed);
            if let Some(apart) = (link as usize).checked_sub(FEW * self.slots.len()) {
                self.slot_of_apart[apart].store(slot as u32, Ordering::Relaxed);
            }
            if how == Use::Write
                && let Some(hint) = hints.next()
            {
                hint.store(address.as_ptr(), Ordering::Relaxed);
            }
            let line = front.lines.entry(address.addr().get()).or_default();
            let is_there = |standing: Standing| standing.nth > front.n_gone;
            let Line { writer, mut reader } = *line;
            if how == Use::Write {
                // Where there were readers, they waited for the writer, or it was over.
                if reader.nth == 0 && is_there(writer) {
                    n_pending += u32::from(self.hang(link, writer.link));
                }
                while is_there(reader) {
                    n_pending += u32::from(self.hang(link, reader.link));
                    reader = front.before[reader.link as usize];
                }
                *line = Line {
                    writer: me,
                    reader: Standing::default(),
                };
            } else {
                if is_there(writer) {
                    n_pending += u32::from(self.hang(link, writer.link));
                }
                front.before[link as usize] = reader;
                line.reader = me;
            }
        }
        node.n_links.store(n_links as u32, Ordering::Relaxed);
        front.next_apart += n_links.saturating_sub(FEW) as u64;
        front.tidy();
        if n_pending == 0 {
            // Nobody else knows of it.
            return true;
        }
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
                // Acquire: pairs with the Release in `complete`: what was written before is seen by who gets this event.
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
        let first_apart = node.first_apart.load(Ordering::Relaxed);
        for nth in 0..node.n_links.load(Ordering::Relaxed) as usize {
            let link = self.link(self.number(slot, first_apart, nth));
            // AcqRel: Release for who finds it completed; Acquire pairs with the Release in `hang`.
            let mut other = link
                .waiting
                .swap(COMPLETED, needed("complete", Ordering::AcqRel));
            while other != NOTHING {
                let slot = self.slot_of(other);
                // Relaxed: written before it was hung there. Read now, since its event may go once it is told.
                other = self.link(other).next.load(Ordering::Relaxed);
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
    pub(super) fn arrive_done(&self, front: &mut Front, slot: usize) {
        let node = &self.slots[slot];
        front.n_come += 1;
        // Relaxed: the front alone looks at it.
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
        let n_links = self.slots[slot].n_links.load(Ordering::Relaxed) as usize;
        front.n_gone += 1;
        front.apart_gone += n_links.saturating_sub(FEW) as u64;
    }

    /// Asks for the memory that is shared of an event.
    pub(super) fn prefetch(&self, slot: usize) {
        prefetch_to_write(&self.slots[slot]);
    }

    /// Asks for entities that an event writes.
    pub(super) fn prefetch_entities(&self, slot: usize) {
        for hint in &self.slots[slot].hints {
            // Relaxed: a hint, whatever it is.
            prefetch_line_to_write(hint.load(Ordering::Relaxed));
        }
    }
}

impl Front {
    /// Forgets the queues in which nobody stands any more, when there are many. O(1) an event, in the long run.
    fn tidy(&mut self) {
        if self.lines.len() >= 4 * self.before.len() {
            let n_gone = self.n_gone;
            self.lines
                .retain(|_, line| line.writer.nth.max(line.reader.nth) > n_gone);
        }
    }
}
