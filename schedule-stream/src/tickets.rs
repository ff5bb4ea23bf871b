//! Which events wait for which: by tickets, as the first design of such a stream had it (2010).
//!
//! For each record that somebody in flight names there are two counters: how many writes of it are done, and how many reads.
//! An event that arrives takes a ticket for each record that it names: a reader, how many writes were asked for before it; a
//! writer, how many writes and reads. It stores the sum of its tickets, and may start when the counters that it waits for
//! add up to that. One sum is enough: no counter can pass a ticket before its holder has run, since whoever would count it
//! further waits for that holder. So if the sum is right, so is each of its terms.
//!
//! Nobody is told that he may start: who looks for something goes through the events that wait, the oldest first, and
//! adds up. That is O(events that wait) for each that is found, and the weak spot of this ordering. It is there to be compared
//! with [`queues`](super::queues), and to be an oracle for them.
//!
//! Invariant: that of [`Dispatch`]. An event is handed out by the exchange of its state, which has the number of the
//! event in it: what was added up of an event that is over cannot hand out the next one in its slot.

use core::ptr::NonNull;
use std::collections::HashMap;

use crossbeam_utils::CachePadded;
use foldhash::fast::RandomState;

use super::dispatch::{Dispatch, Freed, Held};
use super::footprint::{Named, Use};
use schedule::internal::prefetch;
use schedule::internal::sync::{AtomicU32, AtomicU64, Ordering, needed};

/// How many records events may name, for each slot.
const PER_SLOT: usize = 8;
/// So many that may be taken are enough for each other thread.
const MANY: u32 = 64;

/// What becomes of an event: the state of its slot is four times its number, and one of these.
const WAITS: u64 = 1;
const IS_TAKEN: u64 = 2;
const IS_DONE: u64 = 3;

/// See the module.
#[derive(Debug)]
pub(super) struct Tickets {
    slots: Box<[CachePadded<TicketSlot>]>,
    /// In a ring: what events name, as twice the number of a pair of counters, and one more if it is written.
    links: Box<[AtomicU32]>,
    /// By number.
    done: Box<[Done]>,
    /// The slot of the oldest event that has not gone, and the one after the youngest. Guesses, for who takes.
    oldest: CachePadded<AtomicU32>,
    end: CachePadded<AtomicU32>,
    /// How many threads take events, but for the dispatcher; one, if there are none.
    n_others: usize,
}

#[derive(Debug)]
struct TicketSlot {
    state: AtomicU64,
    /// The sum of its tickets.
    sum: AtomicU64,
    first_link: AtomicU32,
    n_links: AtomicU32,
}

/// What is done of a record.
#[derive(Debug)]
struct Done {
    writes: AtomicU64,
    reads: AtomicU64,
}

/// What the dispatcher alone knows.
#[derive(Debug)]
pub(super) struct TicketDispatcher {
    /// By the address of the record.
    given: HashMap<usize, TicketQueue, RandomState>,
    /// Pairs of counters of which nobody has one.
    free: Vec<u32>,
    /// `records[l]`: the address of the record of link l.
    records: Box<[usize]>,
    n_come: u64,
    /// Links have numbers, which are not used again: number n lies at `n % links.len()`. From here on they are free, and
    /// below `links_gone`.
    next_link: u64,
    links_gone: u64,
}

/// The tickets that were given out for a record.
#[derive(Clone, Copy, Debug)]
struct TicketQueue {
    writes: u64,
    reads: u64,
    /// The number of its counters.
    counters: u32,
    /// How many events in flight name it.
    n_events: u32,
}

impl Tickets {
    fn link(&self, nth: usize) -> &AtomicU32 {
        &self.links[nth & (self.links.len() - 1)]
    }

    /// The number of the event in a slot, if it may be taken.
    fn ready(&self, slot: usize) -> Option<u64> {
        let slot = &self.slots[slot];
        // Acquire: pairs with the Release in `arrive`.
        let state = slot.state.load(needed("tickets, waits", Ordering::Acquire));
        if state % 4 != WAITS {
            return None;
        }
        // Relaxed: written before the state; if the event is over by now, the exchange of its state will fail.
        let first = slot.first_link.load(Ordering::Relaxed) as usize;
        let n_links = slot.n_links.load(Ordering::Relaxed) as usize;
        let mut sum = 0_u64;
        for nth in 0..n_links {
            let link = self.link(first + nth).load(Ordering::Relaxed);
            let done = &self.done[link as usize / 2];
            // Acquire: pairs with the Release in `complete`: what was written before is seen by who gets this event.
            sum += done.writes.load(needed("writes", Ordering::Acquire));
            if link % 2 == 1 {
                sum += done.reads.load(needed("reads", Ordering::Acquire));
            }
        }
        (sum == slot.sum.load(Ordering::Relaxed)).then_some(state / 4)
    }

    /// The slots of all events in flight, the oldest first, and maybe some more.
    fn slots(&self) -> impl Iterator<Item = usize> {
        let n_slots = self.slots.len();
        // Relaxed: guesses. If both are the same, it may be full.
        let oldest = self.oldest.load(Ordering::Relaxed) as usize;
        let end = self.end.load(Ordering::Relaxed) as usize;
        let n = match (end + n_slots - oldest) & (n_slots - 1) {
            0 => n_slots,
            n => n,
        };
        (0..n).map(move |nth| (oldest + nth) & (n_slots - 1))
    }

    fn next(&self, slot: usize) -> u32 {
        ((slot + 1) & (self.slots.len() - 1)) as u32
    }
}

impl Dispatch for Tickets {
    const N_SLOTS: usize = 256;

    type Dispatcher = TicketDispatcher;

    fn new(n_slots: usize, n_threads: usize) -> Self {
        let slot = |_| {
            CachePadded::new(TicketSlot {
                state: AtomicU64::new(IS_DONE),
                sum: AtomicU64::new(0),
                first_link: AtomicU32::new(0),
                n_links: AtomicU32::new(0),
            })
        };
        let done = |_| Done {
            writes: AtomicU64::new(0),
            reads: AtomicU64::new(0),
        };
        let n_links = PER_SLOT * n_slots;
        Self {
            slots: (0..n_slots).map(slot).collect(),
            links: (0..n_links).map(|_| AtomicU32::new(0)).collect(),
            done: (0..n_links).map(done).collect(),
            oldest: CachePadded::new(AtomicU32::new(0)),
            end: CachePadded::new(AtomicU32::new(0)),
            n_others: n_threads.saturating_sub(1).max(1),
        }
    }

    fn dispatcher(&self) -> TicketDispatcher {
        TicketDispatcher {
            given: HashMap::default(),
            free: (0..self.done.len() as u32).collect(),
            records: vec![0; self.links.len()].into(),
            n_come: 0,
            next_link: 0,
            links_gone: 0,
        }
    }

    fn max_entries(&self) -> usize {
        self.links.len() / PER_SLOT
    }

    fn has_room(&self, dispatcher: &TicketDispatcher, n_entries: usize) -> bool {
        dispatcher.next_link + n_entries as u64 - dispatcher.links_gone <= self.links.len() as u64
    }

    fn prefetch_tail(&self, _: &TicketDispatcher, _: NonNull<()>, _: Use) {}

    fn arrive(&self, dispatcher: &mut TicketDispatcher, slot: usize, named: &impl Named) -> bool {
        let node = &self.slots[slot];
        let first = dispatcher.next_link as usize & (self.links.len() - 1);
        let (mut sum, mut n_links) = (0, 0);
        named.each(|address, how| {
            let address = address.addr().get();
            let given = dispatcher.given.entry(address).or_insert_with(|| {
                let counters = dispatcher
                    .free
                    .pop()
                    .expect("there are as many counters as links");
                let done = &self.done[counters as usize];
                // Relaxed: nobody names it, so it stays so until somebody does.
                TicketQueue {
                    writes: done.writes.load(Ordering::Relaxed),
                    reads: done.reads.load(Ordering::Relaxed),
                    counters,
                    n_events: 0,
                }
            });
            given.n_events += 1;
            sum += given.writes;
            let is_write = how == Use::Write;
            if is_write {
                sum += given.reads;
                given.writes += 1;
            } else {
                given.reads += 1;
            }
            let link = self.link(first + n_links);
            // Relaxed: released with the state.
            link.store(2 * given.counters + u32::from(is_write), Ordering::Relaxed);
            dispatcher.records[(first + n_links) & (self.links.len() - 1)] = address;
            n_links += 1;
        });
        dispatcher.next_link += n_links as u64;
        dispatcher.n_come += 1;
        // Relaxed: as above.
        node.sum.store(sum, Ordering::Relaxed);
        node.first_link.store(first as u32, Ordering::Relaxed);
        node.n_links.store(n_links as u32, Ordering::Relaxed);
        // Release: pairs with the Acquire in `ready`: who gets the event sees it.
        node.state.store(
            4 * dispatcher.n_come + WAITS,
            needed("tickets, arrive", Ordering::Release),
        );
        self.end.store(self.next(slot), Ordering::Relaxed);
        false
    }

    fn arrive_done(&self, dispatcher: &mut TicketDispatcher, slot: usize) {
        let node = &self.slots[slot];
        dispatcher.n_come += 1;
        // Relaxed: the dispatcher alone looks at it.
        node.n_links.store(0, Ordering::Relaxed);
        node.state
            .store(4 * dispatcher.n_come + IS_DONE, Ordering::Relaxed);
        self.end.store(self.next(slot), Ordering::Relaxed);
    }

    /// Nobody is handed out: who waits looks for himself.
    fn complete(&self, _: usize, held: Held, _: bool) -> Freed {
        let node = &self.slots[held.slot()];
        // Relaxed: written before the event was handed out.
        let first = node.first_link.load(Ordering::Relaxed) as usize;
        for nth in 0..node.n_links.load(Ordering::Relaxed) as usize {
            let link = self.link(first + nth).load(Ordering::Relaxed);
            let done = &self.done[link as usize / 2];
            if link % 2 == 1 {
                // Relaxed: nobody else counts it while this one is not done.
                let n = done.writes.load(Ordering::Relaxed);
                // Release: pairs with the Acquire in `ready`.
                done.writes
                    .store(n + 1, needed("write is done", Ordering::Release));
            } else {
                // Release: as above; who sees the last one sees all readers, since each goes on from the one before.
                done.reads
                    .fetch_add(1, needed("read is done", Ordering::Release));
            }
        }
        // Relaxed: written by this thread, when it took the event.
        let state = node.state.load(Ordering::Relaxed);
        // Release: pairs with the Acquire in `is_done`.
        node.state.store(
            state - IS_TAKEN + IS_DONE,
            needed("tickets, done", Ordering::Release),
        );
        Freed::default()
    }

    fn is_done(&self, _: &mut TicketDispatcher, slot: usize) -> bool {
        // Acquire: pairs with the Release in `complete`.
        let state = &self.slots[slot].state;
        state.load(needed("tickets, is done", Ordering::Acquire)) % 4 == IS_DONE
    }

    fn release(&self, dispatcher: &mut TicketDispatcher, slot: usize) {
        // Relaxed: written by this thread.
        let n_links = u64::from(self.slots[slot].n_links.load(Ordering::Relaxed));
        for nth in dispatcher.links_gone..dispatcher.links_gone + n_links {
            let address = dispatcher.records[nth as usize & (self.links.len() - 1)];
            let given = dispatcher
                .given
                .get_mut(&address)
                .expect("an event in flight names this record");
            given.n_events -= 1;
            if given.n_events == 0 {
                dispatcher.free.push(given.counters);
                dispatcher.given.remove(&address);
            }
        }
        dispatcher.links_gone += n_links;
    }

    fn set_oldest(&self, slot: usize) {
        // Relaxed: a guess.
        self.oldest.store(slot as u32, Ordering::Relaxed);
    }

    fn wanted(&self, _: &mut TicketDispatcher, _: u32) -> u32 {
        let ready = self.slots().filter(|slot| self.ready(*slot).is_some());
        let enough = MANY as usize * self.n_others;
        (enough - ready.take(enough).count()) as u32
    }

    fn has_some(&self) -> bool {
        self.slots().any(|slot| self.ready(slot).is_some())
    }

    fn take(&self, _: usize, _: bool) -> Option<Held> {
        let mut slots = self.slots();
        let taken = slots.find(|&slot| {
            let Some(nth) = self.ready(slot) else {
                return false;
            };
            let (waits, taken) = (4 * nth + WAITS, 4 * nth + IS_TAKEN);
            let state = &self.slots[slot].state;
            // Relaxed: what the event waited for was acquired by adding up.
            let taken = state.compare_exchange(waits, taken, Ordering::Relaxed, Ordering::Relaxed);
            taken.is_ok()
        });
        taken.map(Held::new)
    }

    /// To look would be to go through all of them.
    fn look_ahead(&self, _: usize, _: Held, _: impl FnMut(usize)) {}

    fn prefetch(&self, slot: usize) {
        prefetch(&*self.slots[slot]);
    }
}
