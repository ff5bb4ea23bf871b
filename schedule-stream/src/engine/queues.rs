//! Ordering by queues: each record has a queue of the events that named it.
//!
//! The shared state contains neither events nor records, so that a model checker can try all interleavings. One thread,
//! the dispatcher, lets events arrive and releases them, in order. Any thread takes and completes them.
//!
//! An event is identified by its slot, and has a link for each record that it named. A link is in the queue of its
//! record. A writer waits for all readers since the last writer, or, without any, for that writer. A reader waits for
//! the last writer.
//!
//! No thread searches for ready events. An arriving event appends its links to those that it waits for. The thread that
//! completes an event finds the waiting links there, as in the lock of Mellor-Crummey and Scott (1991). The cost is
//! O(1) per record of an event, except that a writer visits all readers since the last writer, each once or twice.
//!
//! If the helpers have enough events, the dispatcher immediately handles an event that waits for nothing. Other threads
//! do not know of this event, and it is in no queue. Ready events for helpers are in their sets: see [`Ready`].
//!
//! [`QueueTails`] stores the last events of each queue.
//!
//! Invariant: an event that has arrived is handed out once, by [`Queues::arrive`], [`Queues::take`] or
//! [`Queues::complete`]. Before that, all earlier events that share a record with it are completed, if one of the two
//! writes the record. The thread that gets it sees their writes.

use core::ptr::{NonNull, null_mut};
// Prefetch hints are not part of the model.
use core::sync::atomic::AtomicPtr;

use crate::base::footprint::{Entries, Use};
use crate::engine::dispatch::{DISPATCHER, Dispatch, Freed, Held};
use crate::engine::queue_tails::QueueTails;
use crate::engine::ready::Ready;
use crate::observe::meter::ConflictCount;
use crate::observe::meter::ModeLabel;
use schedule::internal::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering, needed};
use schedule::internal::{prefetch_line_to_write, prefetch_to_write};

/// The waiting list of a completed link.
const COMPLETED: u32 = u32::MAX;
/// An empty waiting list.
const NOTHING: u32 = u32::MAX - 1;
/// The number of ready events for each helper that is enough, in addition to those of a turn of the dispatcher.
const AHEAD: u32 = if cfg!(any(loom, test, miri)) { 0 } else { 32 };
/// Maximum number of such events for all helpers, so that there is room for events that wait.
const AHEAD_IN_ALL: u32 = 128;
/// If helpers have this many times as many, the dispatcher takes some of their events before more arrive.
const TOO_MANY: u32 = 2;
/// A count above the number of links for which any event waits.
const MANY: u32 = 1 << 31;
/// Number of links in a slot. Further links are in a separate ring.
const FEW: usize = 4;
/// Number of links in the separate ring, per slot.
const PER_SLOT: usize = 4;
/// Number of queue tails per slot. Usually few slots are in use.
const TAILS: usize = if cfg!(loom) { 4 } else { 8 };
/// Number of records, of those that an event writes, that are prefetched.
const N_HINTS: usize = 2;

/// See the module.
#[derive(Debug)]
pub(crate) struct Queues {
    slots: Box<[QueueSlot]>,
    /// The separate ring of links that do not fit into slots.
    apart: Box<[Pair]>,
    /// `slot_of_apart[p]`: the slot of the event that has pair p of the ring.
    slot_of_apart: Box<[AtomicU32]>,
    ready: Ready,
}

/// The shared state of an event: one cache line, if the event names few records.
#[derive(Debug)]
#[repr(align(64))]
struct QueueSlot {
    /// The number of links for which this event waits.
    pending: AtomicU32,
    n_links: AtomicU32,
    /// The index of its first pair in the separate ring.
    first_apart: AtomicU32,
    /// Whether it is completed, and no thread will access its links for it any more.
    is_done: AtomicBool,
    links: [Pair; FEW / 2],
    /// The addresses of records that it writes, for prefetches.
    hints: [AtomicPtr<()>; N_HINTS],
}

/// Two links of one event. They are completed together.
#[derive(Debug)]
struct Pair {
    /// For each of the two links: the first link that waits for it, or `NOTHING`, or `COMPLETED`. See [`halves`].
    waiting: AtomicU64,
    /// For each of the two links: the next link in the same waiting list.
    next: [AtomicU32; 2],
}

impl Pair {
    fn new() -> Self {
        Self {
            waiting: AtomicU64::new(both(NOTHING)),
            next: [(); 2].map(|()| AtomicU32::new(NOTHING)),
        }
    }
}

/// Returns the word of a pair in which both links have this value.
const fn both(of_one: u32) -> u64 {
    (of_one as u64) << 32 | of_one as u64
}

fn halves(pair: u64) -> [u32; 2] {
    [pair as u32, (pair >> 32) as u32]
}

fn with_half(pair: u64, half: usize, of_one: u32) -> u64 {
    let shift = 32 * half;
    pair & !(u64::from(u32::MAX) << shift) | u64::from(of_one) << shift
}

/// The state that only the dispatcher uses.
#[derive(Debug)]
pub(crate) struct QueueDispatcher {
    tails: QueueTails,
    /// The number of links of the event in each slot. `None` if other threads do not know the event.
    n_links: Box<[Option<u16>]>,
    /// The number of events in each set: those at the last look, and those added since.
    n_ready: Box<[u32]>,
    /// The number of further events without predecessors that go to helpers, until they have enough.
    room: u32,
    /// The number of events that is enough for one helper.
    share: u32,
    /// Ready events that are not published yet: a word of slots, and its bits.
    arrived: (usize, u64),
    /// The numbers of pairs in the separate ring, which are never reused: pair n is at `n % apart.len()`. The pairs
    /// from `next_apart` on and below `apart_gone` are free.
    next_apart: u64,
    apart_gone: u64,
    n_conflicts: ConflictCount,
}

impl Queues {
    /// Returns the pair of a link. Links are numbered by pairs: first those in slots, then those in the separate ring.
    #[inline(always)]
    fn pair(&self, link: u32) -> &Pair {
        let nth = link as usize / 2;
        match self.slots.get(nth / (FEW / 2)) {
            Some(slot) => &slot.links[nth % (FEW / 2)],
            None => &self.apart[nth - FEW / 2 * self.slots.len()],
        }
    }

    #[inline(always)]
    fn next(&self, link: u32) -> &AtomicU32 {
        &self.pair(link).next[link as usize % 2]
    }

    /// Returns the slot of the event that has this link.
    #[inline(always)]
    fn slot_of(&self, link: u32) -> usize {
        let nth = link as usize;
        match nth.checked_sub(FEW * self.slots.len()) {
            None => nth / FEW,
            // Relaxed: written before the link was appended anywhere.
            Some(nth) => self.slot_of_apart[nth / 2].load(Ordering::Relaxed) as usize,
        }
    }

    /// Returns the number of link `nth` of the event in a slot. `first_apart` is its first pair in the separate ring.
    #[inline(always)]
    fn number(&self, slot: usize, first_apart: u32, nth: usize) -> u32 {
        if nth < FEW {
            return (FEW * slot + nth) as u32;
        }
        let pair = (first_apart as usize + (nth - FEW) / 2) & (self.apart.len() - 1);
        (FEW * self.slots.len() + 2 * pair + nth % 2) as u32
    }

    /// Initializes the pair whose first link is `link`, of the event in a slot.
    #[inline(always)]
    fn begin_pair(&self, slot: usize, link: u32) {
        // Relaxed: other threads read the pair only after one of its links was appended, or the event was handed out.
        // Both release these stores.
        let pair = self.pair(link);
        pair.waiting.store(both(NOTHING), Ordering::Relaxed);
        if let Some(apart) = (link as usize).checked_sub(FEW * self.slots.len()) {
            self.slot_of_apart[apart / 2].store(slot as u32, Ordering::Relaxed);
        }
    }

    /// Appends `link` to the waiting list of the link `on` of an earlier event. Returns whether it must wait.
    #[inline]
    fn hang(&self, link: u32, on: u32) -> bool {
        let (waiting, half) = (&self.pair(on).waiting, on as usize % 2);
        // Relaxed: the exchange verifies the value. A completed link is loaded again below.
        let mut pair = waiting.load(Ordering::Relaxed);
        loop {
            let first = halves(pair)[half];
            if first == COMPLETED {
                // Acquire: pairs with the Release in `complete`, so the thread that gets this event sees the writes of
                // the completed one.
                waiting.load(needed("is completed", Ordering::Acquire));
                return false;
            }
            // Relaxed: released by the exchange.
            self.next(link).store(first, Ordering::Relaxed);
            // Release: pairs with the Acquire in `complete`.
            match waiting.compare_exchange(
                pair,
                with_half(pair, half, link),
                needed("hang", Ordering::Release),
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => pair = now,
            }
        }
    }

    /// Returns whether the event that has this link is completed. If it is, its writes are visible.
    #[inline(always)]
    fn is_over(&self, link: u32) -> bool {
        let (waiting, half) = (&self.pair(link).waiting, link as usize % 2);
        // Acquire: as in `hang`.
        let pair = waiting.load(needed("is over", Ordering::Acquire));
        halves(pair)[half] == COMPLETED
    }

    /// Decrements the counts of the events in a waiting list, and hands out those that wait for nothing else.
    #[inline]
    fn notify_all(&self, first: u32, hand_out: &mut impl FnMut(usize)) {
        let mut link = first;
        while link != NOTHING {
            let slot = self.slot_of(link);
            // Relaxed: written before the link was appended. Read before the decrement, because its event may be
            // released after it.
            link = self.next(link).load(Ordering::Relaxed);
            // AcqRel: Release for the thread with the last decrement. Acquire pairs with the Release of all earlier
            // decrements.
            let before = self.slots[slot]
                .pending
                .fetch_sub(1, needed("decrement", Ordering::AcqRel));
            if before == 1 {
                hand_out(slot);
            }
        }
    }
}

impl Dispatch for Queues {
    /// Many slots: behind a long chain of events that wait for each other, there may be others that can run.
    const N_SLOTS: usize = 2048;
    const LABEL: ModeLabel = ModeLabel::Queues;

    type Dispatcher = QueueDispatcher;

    fn new(n_slots: usize, n_threads: usize) -> Self {
        let slot = |_| QueueSlot {
            pending: AtomicU32::new(0),
            n_links: AtomicU32::new(0),
            first_apart: AtomicU32::new(0),
            is_done: AtomicBool::new(false),
            links: [(); FEW / 2].map(|()| Pair::new()),
            hints: [(); N_HINTS].map(|()| AtomicPtr::new(null_mut())),
        };
        let apart = 0..PER_SLOT / 2 * n_slots;
        Self {
            slots: (0..n_slots).map(slot).collect(),
            apart: apart.clone().map(|_| Pair::new()).collect(),
            slot_of_apart: apart.map(|_| AtomicU32::new(0)).collect(),
            ready: Ready::new(n_slots, n_threads),
        }
    }

    fn dispatcher(&self) -> QueueDispatcher {
        let n_links = FEW * self.slots.len() + 2 * self.apart.len();
        QueueDispatcher {
            tails: QueueTails::new(TAILS * self.slots.len(), n_links),
            n_links: vec![None; self.slots.len()].into(),
            n_ready: vec![0; self.ready.n_sets()].into(),
            room: 0,
            share: 1,
            arrived: (0, 0),
            next_apart: 0,
            apart_gone: 0,
            n_conflicts: ConflictCount::default(),
        }
    }

    #[inline]
    fn max_entries(&self) -> usize {
        self.apart.len() / 2
    }

    #[inline]
    fn has_room(&self, dispatcher: &QueueDispatcher, n_entries: usize) -> bool {
        dispatcher.next_apart + n_apart(n_entries) - dispatcher.apart_gone
            <= self.apart.len() as u64
    }

    #[inline]
    fn prefetch_tail(&self, dispatcher: &QueueDispatcher, address: NonNull<()>, how: Use) {
        if let Some(link) = dispatcher.tails.last(address, how) {
            // Another thread may use this cache line.
            prefetch_to_write(self.pair(link));
        }
    }

    #[inline]
    fn would_be_at_once(&self, dispatcher: &QueueDispatcher, n_before: u64) -> bool {
        n_before >= u64::from(dispatcher.room)
    }

    #[inline]
    fn arrive(
        &self,
        dispatcher: &mut QueueDispatcher,
        slot: usize,
        entries: &impl Entries,
    ) -> bool {
        dispatcher.tails.arrive();
        if dispatcher.room == 0 {
            let mut is_free = true;
            let is_over = |link| self.is_over(link);
            entries.each(|address, how| {
                is_free = is_free && dispatcher.tails.are_over(address, how, is_over);
            });
            if is_free {
                dispatcher.n_links[slot] = None;
                return true;
            }
        }
        let node = &self.slots[slot];
        let first_apart = (dispatcher.next_apart as usize & (self.apart.len() - 1)) as u32;
        // Relaxed: other threads read this event only after one of its links was appended, or it was handed out. Both
        // release these stores.
        node.is_done.store(false, Ordering::Relaxed);
        node.pending.store(MANY, Ordering::Relaxed);
        node.first_apart.store(first_apart, Ordering::Relaxed);
        let (mut n_pending, mut n_links) = (0, 0);
        let mut hints = node.hints.iter();
        entries.each(|address, how| {
            let link = self.number(slot, first_apart, n_links);
            if n_links % 2 == 0 {
                self.begin_pair(slot, link);
            }
            n_links += 1;
            if how == Use::Write
                && let Some(hint) = hints.next()
            {
                // Relaxed: a hint.
                hint.store(address.as_ptr(), Ordering::Relaxed);
            }
            dispatcher.tails.join(address, how, link, |before| {
                n_pending += u32::from(self.hang(link, before.number()));
            });
        });
        dispatcher.n_conflicts.note(n_pending != 0);
        // Relaxed: as above.
        hints.for_each(|hint| hint.store(null_mut(), Ordering::Relaxed));
        node.n_links.store(n_links as u32, Ordering::Relaxed);
        dispatcher.n_links[slot] = Some(n_links as u16);
        dispatcher.next_apart += n_apart(n_links);
        let rest = MANY - n_pending;
        // If it waits for nothing, no other thread knows of it. AcqRel: Release for the thread with the last decrement,
        // which gets the event. Acquire pairs with the Release of earlier decrements, if this one is the last.
        let is_ready = n_pending == 0
            || (node.pending).fetch_sub(rest, needed("arrive", Ordering::AcqRel)) == rest;
        if is_ready {
            if dispatcher.arrived.0 != slot / 64 {
                self.publish(dispatcher);
                dispatcher.arrived.0 = slot / 64;
            }
            dispatcher.arrived.1 |= 1 << (slot % 64);
            dispatcher.room = dispatcher.room.saturating_sub(1);
            if dispatcher.room == 0 || dispatcher.arrived.1.count_ones() >= dispatcher.share {
                self.publish(dispatcher);
            }
        }
        false
    }

    #[inline]
    fn publish(&self, dispatcher: &mut QueueDispatcher) {
        let (word, bits) = core::mem::take(&mut dispatcher.arrived);
        if bits == 0 {
            return;
        }
        // The set of the dispatcher, if there are no helpers.
        let others =
            (DISPATCHER + 1..dispatcher.n_ready.len()).min_by_key(|set| dispatcher.n_ready[*set]);
        let set = others.unwrap_or(DISPATCHER);
        dispatcher.n_ready[set] += bits.count_ones();
        self.ready.put(set, word, bits);
    }

    #[inline]
    fn arrive_done(&self, dispatcher: &mut QueueDispatcher, slot: usize) {
        dispatcher.tails.arrive();
        dispatcher.n_links[slot] = None;
    }

    #[inline]
    fn complete(&self, thread: usize, held: Held, goes_on: bool) -> Freed {
        let node = &self.slots[held.slot()];
        let (mut next, mut has_more) = (None, false);
        // The oldest event comes next: if few events can run in parallel, the others wait for it.
        let mut hand_out = |slot: usize| {
            let mut put = |slot: usize| {
                self.ready.put(thread, slot / 64, 1 << (slot % 64));
                has_more = true;
            };
            if !goes_on {
                return put(slot);
            }
            let Some(other) = next.replace(slot) else {
                return;
            };
            let oldest = self.ready.oldest();
            let age = |slot: usize| slot.wrapping_sub(oldest) & (self.slots.len() - 1);
            let (first, second) = if age(slot) < age(other) {
                (slot, other)
            } else {
                (other, slot)
            };
            next = Some(first);
            put(second);
        };
        // Relaxed: written before the event was handed out.
        let first_apart = node.first_apart.load(Ordering::Relaxed);
        let n_links = node.n_links.load(Ordering::Relaxed) as usize;
        for nth in (0..n_links).step_by(2) {
            let pair = self.pair(self.number(held.slot(), first_apart, nth));
            // AcqRel: Release for the thread that finds it completed. Acquire pairs with the Release in `hang`.
            let waiting = pair
                .waiting
                .swap(both(COMPLETED), needed("complete", Ordering::AcqRel));
            if waiting != both(NOTHING) {
                for first in halves(waiting) {
                    self.notify_all(first, &mut hand_out);
                }
            }
        }
        // Release: pairs with the Acquire in `is_done`.
        node.is_done.store(true, needed("done", Ordering::Release));
        let next = next.map(Held::new);
        Freed { next, has_more }
    }

    #[inline]
    fn is_done(&self, dispatcher: &mut QueueDispatcher, slot: usize) -> bool {
        let is_done = &self.slots[slot].is_done;
        // Acquire: pairs with the Release in `complete`.
        dispatcher.n_links[slot].is_none() || is_done.load(needed("is done", Ordering::Acquire))
    }

    #[inline]
    fn release(&self, dispatcher: &mut QueueDispatcher, slot: usize) {
        dispatcher.tails.release();
        dispatcher.apart_gone += n_apart(dispatcher.n_links[slot].unwrap_or(0).into());
    }

    #[inline]
    fn set_oldest(&self, slot: usize) {
        self.ready.set_oldest(slot);
    }

    #[inline]
    fn wanted(&self, dispatcher: &mut QueueDispatcher, turn: u32) -> u32 {
        if dispatcher.room > 0 {
            // A look into the sets of helpers slows the helpers down.
            return u32::MAX;
        }
        let n_others = dispatcher.n_ready.len() as u32 - 1;
        let share = (AHEAD + turn).min(AHEAD_IN_ALL / n_others.max(1)).max(1);
        let (mut n_ready, mut room) = (0, 0);
        for (set, n) in dispatcher
            .n_ready
            .iter_mut()
            .enumerate()
            .skip(DISPATCHER + 1)
        {
            *n = self.ready.len(set);
            n_ready += *n;
            room += share.saturating_sub(*n);
        }
        (dispatcher.room, dispatcher.share) = (room, share);
        let has_too_many = n_others > 0 && n_ready >= TOO_MANY * share * n_others;
        if room == 0 && (has_too_many || self.ready.len(DISPATCHER) >= turn) {
            0
        } else {
            u32::MAX
        }
    }

    #[inline]
    fn has_some(&self) -> bool {
        !self.ready.is_empty()
    }

    #[inline]
    fn take(&self, thread: usize, _: bool) -> Option<Held> {
        self.ready.take(thread).map(Held::new)
    }

    #[inline]
    fn look_ahead(&self, thread: usize, held: Held, mut notify: impl FnMut(usize)) {
        let node = &self.slots[held.slot()];
        // Links in the separate ring are ignored: their events take long anyway. Relaxed: a hint, and more links may be
        // appended meanwhile.
        for pair in &node.links {
            for first in halves(pair.waiting.load(Ordering::Relaxed)) {
                if first < NOTHING {
                    let waiting = self.slot_of(first);
                    self.prefetch(waiting);
                    notify(waiting);
                }
            }
        }
        let [first, second] = self.ready.peek(thread);
        if let Some(second) = second {
            self.prefetch(second);
            notify(second);
        }
        // The cache line with its hints has arrived by now: it was prefetched when this event was the second one.
        for hint in first.map_or(&[][..], |first| &self.slots[first].hints) {
            // Relaxed: a hint, and any value is safe to prefetch.
            prefetch_line_to_write(hint.load(Ordering::Relaxed));
        }
    }

    #[inline]
    fn prefetch(&self, slot: usize) {
        prefetch_to_write(&self.slots[slot]);
    }

    #[inline]
    fn take_n_conflicts(&self, dispatcher: &mut QueueDispatcher) -> u64 {
        dispatcher.n_conflicts.take()
    }
}

/// Returns the number of pairs in the separate ring that this number of links needs.
#[inline(always)]
fn n_apart(n_links: usize) -> u64 {
    n_links.saturating_sub(FEW).div_ceil(2) as u64
}

#[cfg(all(test, not(loom)))]
mod tests;
