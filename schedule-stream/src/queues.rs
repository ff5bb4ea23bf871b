//! Which events wait for which: for each record a queue of those that named it.
//!
//! The state that the threads of a stream share. It knows neither events nor records, so that a model checker can try all of
//! its interleavings. One thread, the dispatcher, lets events arrive and go, in order; any thread takes and completes them.
//!
//! An event is a number, its slot, and has a link for each record that it named. A link is in the queue of its record: a
//! writer waits for all readers since the writer before it, or for that; a reader waits for the writer before it. Nobody
//! looks for what is ready: who arrives hangs its link on those that it waits for, and who completes an event finds
//! there whom to tell, as in the lock of Mellor-Crummey and Scott (1991). O(1) for each record that an event named, but
//! that a writer looks at all readers since the writer before it, each of which is looked at once or twice.
//!
//! Where others have enough to do, the dispatcher handles at once what waits for nothing: nobody else knows of that, and it stands in
//! no queue. What is for others goes into their sets of [`Ready`] events.
//!
//! Who stands last in a queue, [`QueueTails`] say.
//!
//! Invariant: an event that has arrived is handed out once, by [`Queues::arrive`], [`Queues::take`] or
//! [`Queues::complete`]; and only after all that came before it and share a record with it, of which one of the two is a
//! writer, were completed, so that who gets it sees what was written before those calls.

use core::ptr::{NonNull, null_mut};
// Hints are none of what is to be modelled.
use core::sync::atomic::AtomicPtr;

use super::dispatch::{DISPATCHER, Dispatch, Freed, Held};
use super::footprint::{Named, Use};
use super::queue_tails::QueueTails;
use super::ready::Ready;
use schedule::internal::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering, needed};
use schedule::internal::{prefetch_line_to_write, prefetch_to_write};

/// What hangs on a link that is completed.
const COMPLETED: u32 = u32::MAX;
/// What hangs on a link, if nothing does.
const NOTHING: u32 = u32::MAX - 1;
/// So many events for each other thread are enough, and as many as the dispatcher handles in a turn.
const AHEAD: u32 = if cfg!(any(loom, test, miri)) { 0 } else { 32 };
/// But not more than so many for all of them, so that there is room for what waits.
const AHEAD_IN_ALL: u32 = 128;
/// If they have so many times as many, the dispatcher takes some of these before more arrive.
const TOO_MANY: u32 = 2;
/// More than any event waits for.
const MANY: u32 = 1 << 31;
/// Links that an event has in its slot; more of them lie apart.
const FEW: usize = 4;
/// How many more there may be apart, for each slot.
const PER_SLOT: usize = 4;
/// Lines for each slot: most of the time, few slots are taken.
const TAILS: usize = if cfg!(loom) { 4 } else { 8 };
/// Of so many records that an event writes, the memory is asked for ahead.
const N_HINTS: usize = 2;

/// See the module.
#[derive(Debug)]
pub(super) struct Queues {
    slots: Box<[QueueSlot]>,
    /// Those for which there is no room in a slot, in a ring.
    apart: Box<[Pair]>,
    /// `slot_of_apart[p]`: whose pair p is.
    slot_of_apart: Box<[AtomicU32]>,
    ready: Ready,
}

/// All that threads tell each other of an event: one cache line, if it names few records.
#[derive(Debug)]
#[repr(align(64))]
struct QueueSlot {
    /// How many links of others this event waits for.
    pending: AtomicU32,
    n_links: AtomicU32,
    /// The first of the links that lie apart.
    first_apart: AtomicU32,
    /// Whether it is completed, and nobody will touch its links on its account any more.
    is_done: AtomicBool,
    links: [Pair; FEW / 2],
    /// Where records are that it writes.
    hints: [AtomicPtr<()>; N_HINTS],
}

/// Two links of one event, which are completed at once.
#[derive(Debug)]
struct Pair {
    /// Of each link, the first of those that wait for it, or `NOTHING`, or `COMPLETED`: see [`halves`].
    waiting: AtomicU64,
    /// Of each link, the next one that waits for what it waits for.
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

/// What a pair is, if both of its links are this.
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

/// What the dispatcher alone knows.
#[derive(Debug)]
pub(super) struct QueueDispatcher {
    tails: QueueTails,
    /// By slot: how many links the event has; if others know of it at all.
    n_links: Box<[Option<u16>]>,
    /// By set: how many events were in it when that was looked at, and were put there since.
    n_ready: Box<[u32]>,
    /// So many events more that wait for nothing are for others: until there is enough.
    room: u32,
    /// So many are enough for one of them.
    share: u32,
    /// Those of them that others cannot take yet: bits of a word of slots.
    arrived: (usize, u64),
    /// Pairs apart have numbers, which are not used again: number n lies at `n % apart.len()`. From here on they are free,
    /// and below `apart_gone`.
    next_apart: u64,
    apart_gone: u64,
}

impl Queues {
    /// Links are numbered by pairs: those in slots come first, then those apart.
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

    /// Whose link that is.
    #[inline(always)]
    fn slot_of(&self, link: u32) -> usize {
        let nth = link as usize;
        match nth.checked_sub(FEW * self.slots.len()) {
            None => nth / FEW,
            // Relaxed: written before it was hung anywhere.
            Some(nth) => self.slot_of_apart[nth / 2].load(Ordering::Relaxed) as usize,
        }
    }

    /// The number of a link of the event in a slot, of which the pairs apart begin at `first_apart`.
    #[inline(always)]
    fn number(&self, slot: usize, first_apart: u32, nth: usize) -> u32 {
        if nth < FEW {
            return (FEW * slot + nth) as u32;
        }
        let pair = (first_apart as usize + (nth - FEW) / 2) & (self.apart.len() - 1);
        (FEW * self.slots.len() + 2 * pair + nth % 2) as u32
    }

    /// Nothing waits yet for the links of a pair, of which this is the first, of the event in a slot.
    #[inline(always)]
    fn begin_pair(&self, slot: usize, link: u32) {
        // Relaxed: nobody else looks at them before one is hung somewhere, which releases them, or the event is handed out.
        let pair = self.pair(link);
        pair.waiting.store(both(NOTHING), Ordering::Relaxed);
        if let Some(apart) = (link as usize).checked_sub(FEW * self.slots.len()) {
            self.slot_of_apart[apart / 2].store(slot as u32, Ordering::Relaxed);
        }
    }

    /// Lets a link wait for another one of an earlier event. Whether it has to.
    #[inline]
    fn hang(&self, link: u32, on: u32) -> bool {
        let (waiting, half) = (&self.pair(on).waiting, on as usize % 2);
        // Relaxed: the exchange decides; of one that is completed, as below.
        let mut pair = waiting.load(Ordering::Relaxed);
        loop {
            let first = halves(pair)[half];
            if first == COMPLETED {
                // Acquire: pairs with the Release in `complete`: what was written before is seen by who gets this event.
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

    /// Whether an event is completed that has this link. Sees what was written before that.
    #[inline(always)]
    fn is_over(&self, link: u32) -> bool {
        let (waiting, half) = (&self.pair(link).waiting, link as usize % 2);
        // Acquire: as in `hang`.
        let pair = waiting.load(needed("is over", Ordering::Acquire));
        halves(pair)[half] == COMPLETED
    }

    /// Counts off what these wait for, from the first on, and hands out those that waited for nothing else.
    #[inline]
    fn notify_all(&self, first: u32, hand_out: &mut impl FnMut(usize)) {
        let mut link = first;
        while link != NOTHING {
            let slot = self.slot_of(link);
            // Relaxed: written before it was hung there. Read now, since its event may go once it is told.
            link = self.next(link).load(Ordering::Relaxed);
            // AcqRel: Release for who decrements last; Acquire pairs with the Release of all who did before.
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
    /// Many: while some wait for each other in a long row, there are others behind them.
    const N_SLOTS: usize = 2048;

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
            // Another thread may be at it, or have completed it.
            prefetch_to_write(self.pair(link));
        }
    }

    #[inline]
    fn would_be_at_once(&self, dispatcher: &QueueDispatcher, n_before: u64) -> bool {
        n_before >= u64::from(dispatcher.room)
    }

    #[inline]
    fn arrive(&self, dispatcher: &mut QueueDispatcher, slot: usize, named: &impl Named) -> bool {
        dispatcher.tails.come();
        if dispatcher.room == 0 {
            let mut is_free = true;
            let is_over = |link| self.is_over(link);
            named.each(|address, how| {
                is_free = is_free && dispatcher.tails.are_over(address, how, is_over);
            });
            if is_free {
                dispatcher.n_links[slot] = None;
                return true;
            }
        }
        let node = &self.slots[slot];
        let first_apart = (dispatcher.next_apart as usize & (self.apart.len() - 1)) as u32;
        // Relaxed: nobody else looks at this event before it hangs somewhere, which releases it, or is handed out.
        node.is_done.store(false, Ordering::Relaxed);
        node.pending.store(MANY, Ordering::Relaxed);
        node.first_apart.store(first_apart, Ordering::Relaxed);
        let (mut n_pending, mut n_links) = (0, 0);
        let mut hints = node.hints.iter();
        named.each(|address, how| {
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
        // Relaxed: as above.
        hints.for_each(|hint| hint.store(null_mut(), Ordering::Relaxed));
        node.n_links.store(n_links as u32, Ordering::Relaxed);
        dispatcher.n_links[slot] = Some(n_links as u16);
        dispatcher.next_apart += n_apart(n_links);
        let rest = MANY - n_pending;
        // If it waits for nothing, nobody else knows of it. AcqRel: Release for who decrements last, who gets the event; Acquire:
        // pairs with the Release of who has decremented, if this one is the last.
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
        // That of the dispatcher, if there are no others.
        let others =
            (DISPATCHER + 1..dispatcher.n_ready.len()).min_by_key(|set| dispatcher.n_ready[*set]);
        let set = others.unwrap_or(DISPATCHER);
        dispatcher.n_ready[set] += bits.count_ones();
        self.ready.put(set, word, bits);
    }

    #[inline]
    fn arrive_done(&self, dispatcher: &mut QueueDispatcher, slot: usize) {
        dispatcher.tails.come();
        dispatcher.n_links[slot] = None;
    }

    #[inline]
    fn complete(&self, thread: usize, held: Held, goes_on: bool) -> Freed {
        let node = &self.slots[held.slot()];
        let (mut next, mut has_more) = (None, false);
        // The oldest comes next: where few events may run beside each other, the others wait for it.
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
            let (first, second) = match age(slot) < age(other) {
                true => (slot, other),
                false => (other, slot),
            };
            next = Some(first);
            put(second);
        };
        // Relaxed: written before the event was handed out.
        let first_apart = node.first_apart.load(Ordering::Relaxed);
        let n_links = node.n_links.load(Ordering::Relaxed) as usize;
        for nth in (0..n_links).step_by(2) {
            let pair = self.pair(self.number(held.slot(), first_apart, nth));
            // AcqRel: Release for who finds it completed; Acquire pairs with the Release in `hang`.
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
        dispatcher.tails.go();
        dispatcher.apart_gone += n_apart(dispatcher.n_links[slot].unwrap_or(0).into());
    }

    #[inline]
    fn set_oldest(&self, slot: usize) {
        self.ready.set_oldest(slot);
    }

    #[inline]
    fn wanted(&self, dispatcher: &mut QueueDispatcher, turn: u32) -> u32 {
        if dispatcher.room > 0 {
            // To look into their sets takes the others some time, too.
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
        match room == 0 && (has_too_many || self.ready.len(DISPATCHER) >= turn) {
            true => 0,
            false => u32::MAX,
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
        // Those apart are of events that take long anyway. Relaxed: a hint; more may come to wait meanwhile.
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
        // Where its records are has come by now: it was the second one before.
        for hint in first.map_or(&[][..], |first| &self.slots[first].hints) {
            // Relaxed: a hint, whatever it is.
            prefetch_line_to_write(hint.load(Ordering::Relaxed));
        }
    }

    #[inline]
    fn prefetch(&self, slot: usize) {
        prefetch_to_write(&self.slots[slot]);
    }
}

/// How many pairs apart so many links need.
#[inline(always)]
fn n_apart(n_links: usize) -> u64 {
    n_links.saturating_sub(FEW).div_ceil(2) as u64
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::*;

    /// Writes to these records.
    fn writes(records: &[usize]) -> Vec<(NonNull<()>, Use)> {
        let address = |nth: &usize| NonNull::new(without_provenance_mut(16 + 16 * nth)).unwrap();
        let footprint = records.iter().map(|nth| (address(nth), Use::Write));
        footprint.collect()
    }

    #[test]
    fn what_waits_for_nothing_is_handled_at_once_where_others_have_enough() {
        let queues = Queues::new(64, 2);
        let mut dispatcher = queues.dispatcher();
        assert!(queues.wanted(&mut dispatcher, 1) > 0);
        assert!(
            !queues.arrive(&mut dispatcher, 0, &writes(&[0])),
            "it is for the other thread"
        );
        assert!(queues.arrive(&mut dispatcher, 1, &writes(&[1])));
        assert!(queues.is_done(&mut dispatcher, 1), "nobody is told of it");
        assert!(
            !queues.arrive(&mut dispatcher, 2, &writes(&[1, 0])),
            "it waits for the first"
        );
        let held = queues.take(1, false).expect("the first");
        assert_eq!(held.slot(), 0);
        assert!(queues.take(1, false).is_none());
        let next = queues.complete(1, held, true).next.expect("the last");
        assert_eq!(next.slot(), 2);
    }

    #[test]
    fn one_thread_handles_all_at_once() {
        let queues = Queues::new(64, 1);
        let mut dispatcher = queues.dispatcher();
        for slot in 0..64 {
            assert!(queues.wanted(&mut dispatcher, 1) > 0);
            assert!(queues.arrive(&mut dispatcher, slot, &writes(&[slot % 3, 7])));
        }
    }

    #[test]
    fn of_those_that_waited_for_it_the_oldest_comes_next() {
        let queues = Queues::new(64, 2);
        let mut dispatcher = queues.dispatcher();
        queues.wanted(&mut dispatcher, 3);
        for (nth, records) in [&[0, 1, 2][..], &[2], &[1], &[0]].iter().enumerate() {
            // Where the ring ends.
            let slot = (62 + nth) % 64;
            queues.set_oldest(62);
            assert!(!queues.arrive(&mut dispatcher, slot, &writes(records)));
        }
        queues.publish(&mut dispatcher);
        let held = queues.take(1, false).expect("the first");
        let freed = queues.complete(1, held, true);
        assert_eq!(freed.next.expect("what waited for it").slot(), 63);
        assert!(freed.has_more);
        let rest = core::iter::from_fn(|| queues.take(1, false));
        assert_eq!(rest.map(Held::slot).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn all_others_get_their_share() {
        let queues = Queues::new(64, 4);
        let mut dispatcher = queues.dispatcher();
        queues.wanted(&mut dispatcher, 5);
        let mut is_at_once = |slot: usize| queues.arrive(&mut dispatcher, slot, &writes(&[slot]));
        let n_at_once = (0..20).filter(|slot| is_at_once(*slot)).count();
        assert_eq!(n_at_once, 5);
        queues.publish(&mut dispatcher);
        assert_eq!([1, 2, 3].map(|set| queues.ready.len(set)), [5, 5, 5]);
    }
}
