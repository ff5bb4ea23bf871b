//! Ordering by tickets.
//!
//! Each record that an event in flight names has two counters: the numbers of completed writes and reads. An arriving
//! event takes a ticket for each record. The ticket of a reader is the number of earlier writes. The ticket of a writer
//! is the number of earlier writes and reads. The event stores the sum of its tickets, and can start when the sum of
//! the counters that it waits for is equal.
//!
//! One sum is enough: no counter can pass a ticket before its holder has run, because each later event waits for the
//! holder. So if the sums are equal, all terms are equal.
//!
//! There are no notifications: a thread that looks for an event goes through all waiting events, from the oldest, and
//! adds up. That costs O(waiting events) per event, which makes this ordering slow. It serves as a comparison for
//! [`queues`](super::queues), and as a test oracle.
//!
//! Invariant: that of [`Dispatch`]. A compare-exchange of the state of a slot hands out its event. The state contains
//! the number of the event, so a sum for a completed event cannot hand out the next event of the slot.

use core::ptr::NonNull;
use std::collections::HashMap;

use crossbeam_utils::CachePadded;
use foldhash::fast::RandomState;

use crate::base::footprint::{Entries, Use};
use crate::engine::dispatch::{Dispatch, Freed, Held};
use crate::observe::meter::ModeLabel;
use schedule::internal::prefetch;
use schedule::internal::sync::{AtomicU32, AtomicU64, Ordering, needed};

/// The number of links per slot.
const PER_SLOT: usize = 8;
/// The number of ready events per helper that is enough.
const MANY: u32 = 64;

/// The state of a slot: four times the number of its event, plus one of these.
const WAITS: u64 = 1;
const IS_TAKEN: u64 = 2;
const IS_DONE: u64 = 3;

/// See the module.
#[derive(Debug)]
pub(crate) struct Tickets {
    slots: Box<[CachePadded<TicketSlot>]>,
    /// The links, in a ring: twice the index of a pair of counters, plus 1 for a write.
    links: Box<[AtomicU32]>,
    /// The counters, by index.
    done: Box<[Done]>,
    /// The slot of the oldest event that is not released, and the slot after the youngest. Hints for threads that take
    /// events.
    oldest: CachePadded<AtomicU32>,
    end: CachePadded<AtomicU32>,
    /// The number of helpers, at least 1.
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

/// The numbers of completed writes and reads of a record.
#[derive(Debug)]
struct Done {
    writes: AtomicU64,
    reads: AtomicU64,
}

/// The state that only the dispatcher uses.
#[derive(Debug)]
pub(crate) struct TicketDispatcher {
    /// The tickets of each record, by its address.
    given: HashMap<usize, TicketQueue, RandomState>,
    /// Unused pairs of counters.
    free: Vec<u32>,
    /// `records[l]`: the address of the record of link l.
    records: Box<[usize]>,
    n_come: u64,
    /// The numbers of links, which are never reused: link n is at `n % links.len()`. The links from `next_link` on and
    /// below `links_gone` are free.
    next_link: u64,
    links_gone: u64,
}

/// The tickets that were issued for a record.
#[derive(Clone, Copy, Debug)]
struct TicketQueue {
    writes: u64,
    reads: u64,
    /// The index of its counters.
    counters: u32,
    /// The number of events in flight that name it.
    n_events: u32,
}

impl Tickets {
    fn link(&self, nth: usize) -> &AtomicU32 {
        &self.links[nth & (self.links.len() - 1)]
    }

    /// Returns the number of the event in a slot, if it can be taken.
    fn ready(&self, slot: usize) -> Option<u64> {
        let slot = &self.slots[slot];
        // Acquire: pairs with the Release in `arrive`.
        let state = slot.state.load(needed("tickets, waits", Ordering::Acquire));
        if state % 4 != WAITS {
            return None;
        }
        // Relaxed: written before the state. If the event is completed by now, the exchange of its state will fail.
        let first = slot.first_link.load(Ordering::Relaxed) as usize;
        let n_links = slot.n_links.load(Ordering::Relaxed) as usize;
        let mut sum = 0_u64;
        for nth in 0..n_links {
            let link = self.link(first + nth).load(Ordering::Relaxed);
            let done = &self.done[link as usize / 2];
            // Acquire: pairs with the Release in `complete`, so the thread that gets this event sees the earlier
            // writes.
            sum += done.writes.load(needed("writes", Ordering::Acquire));
            if link % 2 == 1 {
                sum += done.reads.load(needed("reads", Ordering::Acquire));
            }
        }
        (sum == slot.sum.load(Ordering::Relaxed)).then_some(state / 4)
    }

    /// Returns the slots of all events in flight, from the oldest, and possibly more.
    fn slots(&self) -> impl Iterator<Item = usize> {
        let n_slots = self.slots.len();
        // Relaxed: hints. If both are equal, the ring may be full.
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
    // Only tests and benchmarks use tickets, so they have no label of their own.
    const LABEL: ModeLabel = ModeLabel::Queues;

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

    fn arrive(
        &self,
        dispatcher: &mut TicketDispatcher,
        slot: usize,
        entries: &impl Entries,
    ) -> bool {
        let node = &self.slots[slot];
        let first = dispatcher.next_link as usize & (self.links.len() - 1);
        let (mut sum, mut n_links) = (0, 0);
        entries.each(|address, how| {
            let address = address.addr().get();
            let given = dispatcher.given.entry(address).or_insert_with(|| {
                let counters = dispatcher
                    .free
                    .pop()
                    .expect("there are as many counters as links");
                let done = &self.done[counters as usize];
                // Relaxed: no event in flight names the record, so the counters do not change.
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
            // Relaxed: released by the store of the state.
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
        // Release: pairs with the Acquire in `ready`, so the thread that gets the event sees it.
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
        // Relaxed: only the dispatcher reads it.
        node.n_links.store(0, Ordering::Relaxed);
        node.state
            .store(4 * dispatcher.n_come + IS_DONE, Ordering::Relaxed);
        self.end.store(self.next(slot), Ordering::Relaxed);
    }

    /// Hands out no event: threads look for events themselves.
    fn complete(&self, _: usize, held: Held, _: bool) -> Freed {
        let node = &self.slots[held.slot()];
        // Relaxed: written before the event was handed out.
        let first = node.first_link.load(Ordering::Relaxed) as usize;
        for nth in 0..node.n_links.load(Ordering::Relaxed) as usize {
            let link = self.link(first + nth).load(Ordering::Relaxed);
            let done = &self.done[link as usize / 2];
            if link % 2 == 1 {
                // Relaxed: no other event changes it before this one is completed.
                let n = done.writes.load(Ordering::Relaxed);
                // Release: pairs with the Acquire in `ready`.
                done.writes
                    .store(n + 1, needed("write is done", Ordering::Release));
            } else {
                // Release: as above. A thread that sees the last reader sees all readers, because each increment
                // continues the release sequence.
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
        // Relaxed: a hint.
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
            // Relaxed: `ready` has acquired the writes that the event waited for.
            let taken = state.compare_exchange(waits, taken, Ordering::Relaxed, Ordering::Relaxed);
            taken.is_ok()
        });
        taken.map(Held::new)
    }

    /// Does nothing: a look would go through all waiting events.
    fn look_ahead(&self, _: usize, _: Held, _: impl FnMut(usize)) {}

    fn prefetch(&self, slot: usize) {
        prefetch(&*self.slots[slot]);
    }
}
