//! Ordering by lanes: the events of a lane are processed one after the other.
//!
//! Each thread has a lane, up to [`MOST_LANES`] lanes. An event that waits for nothing goes to the lane of the helper
//! with the least work. If all helpers have enough, the dispatcher processes it immediately, before the next arrival.
//!
//! An event that must wait goes to the lane in which it can begin first, counted in events: it begins after the events
//! before it in that lane, and after those that it waits for in other lanes. This is usually the lane of an event that
//! it waits for. If most events depend on a few records, lanes stay equally long. The method is list scheduling by
//! earliest start time (Hwang et al., SIAM J. Comput. 18, 1989), with events of equal duration.
//!
//! So an event waits until other lanes have made enough progress. Earlier events of its own lane are completed anyway.
//! There are no notifications: a thread that completes an event stores the progress of the lane, and a check compares
//! two numbers. [`LaneTails`] stores the last events that used each record. The cost is O(lanes) per record of an
//! event.
//!
//! An event never changes its lane. This is cheap, but if some events take much longer than others, the events behind
//! them wait without need. [`queues`](super::queues) avoids this at a higher cost.
//!
//! A thread prefers its own lane. If it finds no event there, it takes the next event of another lane that has none
//! handed out. The dispatcher does so only if it has handled nothing else, or the oldest event is not completed. So a
//! thread that is late delays no event for long.
//!
//! Invariant: that of [`Dispatch`]. The progress of a lane is even while none of its events is handed out, and odd
//! otherwise. A compare-exchange makes it odd and hands out an event. Completion makes it even again, or keeps it odd
//! and hands out the next event to the same thread. So the events of a lane are handed out one at a time, in order, and
//! each sees the writes of the earlier ones. Events that the dispatcher processes immediately have no lane.

mod loads;

use core::ptr::{NonNull, null_mut};
// Prefetch hints are not part of the model.
use core::sync::atomic::AtomicPtr;

use crossbeam_utils::CachePadded;

use self::loads::{Loads, SPARE};
use crate::base::footprint::{Entries, Use};
use crate::engine::dispatch::{DISPATCHER, Dispatch, Freed, Held};
use crate::engine::lane_tails::{LaneTail, LaneTails, MOST_LANES, Until};
use crate::observe::meter::ConflictCount;
use crate::observe::meter::ModeLabel;
use schedule::internal::sync::{AtomicU32, AtomicU64, Ordering, needed};
use schedule::internal::{prefetch, prefetch_line_to_write, prefetch_to_write};

/// Rows of tails per slot: 1 MiB with two lanes, 2 MiB with seven. Two records in the same row count as one record.
/// With fewer rows and many waiting events, too many events wait without need and delay those behind them.
const ROWS: usize = 16;
/// Number of records, of those that an event writes, that are prefetched.
const N_HINTS: usize = 4;
/// When an event is handled, the entry this far behind it in its lane is prefetched.
const N_AHEAD: u64 = 4;

/// See the module.
#[derive(Debug)]
pub(crate) struct Lanes {
    lanes: Box<[Lane]>,
}

#[derive(Debug)]
struct Lane {
    /// The events of the lane, in a ring.
    entries: Box<[Entry]>,
    /// Number of events that were added.
    n_come: CachePadded<AtomicU64>,
    progress: CachePadded<Progress>,
}

#[derive(Debug)]
struct Progress {
    /// Twice the number of completed events, plus 1 while the next event is handed out.
    twice: AtomicU64,
    /// The number of added events that the thread with the last event has seen.
    n_seen: AtomicU64,
}

/// The data of an event that a thread needs before it accesses the event: one cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Entry {
    /// The slot of the event, and the lanes for which it waits: see [`Head`].
    head: AtomicU32,
    /// By lane: the progress for which the event waits, modulo 2^32.
    until: [AtomicU32; MOST_LANES],
    /// The addresses of records that the event writes, for prefetches.
    hints: [AtomicPtr<()>; N_HINTS],
}

/// A slot, and a set of lanes as bits.
#[derive(Clone, Copy)]
struct Head(u32);

impl Head {
    const SLOT_BITS: u32 = 32 - MOST_LANES as u32;

    #[inline(always)]
    fn new(slot: usize, waits: u32) -> Self {
        Self(waits << Self::SLOT_BITS | slot as u32)
    }

    #[inline(always)]
    fn slot(self) -> usize {
        (self.0 & !(u32::MAX << Self::SLOT_BITS)) as usize
    }

    #[inline(always)]
    fn waits(self) -> u32 {
        self.0 >> Self::SLOT_BITS
    }
}

/// The state that only the dispatcher uses.
#[derive(Debug)]
pub(crate) struct LaneDispatcher {
    tails: LaneTails,
    /// The events, by slot.
    events: Box<[LaneTail]>,
    loads: Loads,
    n_conflicts: ConflictCount,
}

impl Entry {
    fn new() -> Self {
        Self {
            head: AtomicU32::new(0),
            until: [(); MOST_LANES].map(|()| AtomicU32::new(0)),
            hints: [(); N_HINTS].map(|()| AtomicPtr::new(null_mut())),
        }
    }
}

impl Lane {
    fn new(n_slots: usize) -> Self {
        Self {
            entries: (0..n_slots).map(|_| Entry::new()).collect(),
            n_come: CachePadded::new(AtomicU64::new(0)),
            progress: CachePadded::new(Progress {
                twice: AtomicU64::new(0),
                n_seen: AtomicU64::new(0),
            }),
        }
    }

    #[inline(always)]
    fn entry(&self, nth: u64) -> &Entry {
        &self.entries[nth as usize & (self.entries.len() - 1)]
    }

    /// Returns the number of completed events. Their writes are visible.
    #[inline(always)]
    fn n_done(&self) -> u64 {
        // Acquire: pairs with the Release in `complete`.
        let twice = &self.progress.twice;
        twice.load(needed("lane is done", Ordering::Acquire)) / 2
    }
}

impl Lanes {
    /// Returns the lane of a thread.
    #[inline(always)]
    fn lane_of(&self, thread: usize) -> usize {
        if thread < self.lanes.len() {
            thread
        } else {
            thread % self.lanes.len()
        }
    }

    /// Returns the slot of an event, if it waits for no other lane. The writes of the events that it waited for are
    /// visible.
    #[inline(always)]
    fn if_free(&self, entry: &Entry) -> Option<usize> {
        // Relaxed: written before the event was added to its lane.
        let head = Head(entry.head.load(Ordering::Relaxed));
        let is_free = head.waits() == 0 || self.has_waited(entry, head.waits());
        is_free.then_some(head.slot())
    }

    fn has_waited(&self, entry: &Entry, mut waits: u32) -> bool {
        while waits != 0 {
            let lane = waits.trailing_zeros() as usize;
            waits &= waits - 1;
            // Relaxed: as above. No lane advances by 2^31 events while an event waits for it.
            let until = entry.until[lane].load(Ordering::Relaxed);
            let rest = until.wrapping_sub(self.lanes[lane].n_done() as u32);
            if rest.cast_signed() > 0 {
                return false;
            }
        }
        true
    }

    /// Returns the next event of a lane, if it can be taken: its slot, the progress of the lane, and the number of
    /// added events that were seen.
    #[inline(always)]
    fn next(&self, lane: &Lane) -> Option<(usize, u64, u64)> {
        // Acquire: pairs with the Release in `complete`, and so with all that the completing thread has seen.
        let twice = lane
            .progress
            .twice
            .load(needed("lane has come so far", Ordering::Acquire));
        if twice % 2 == 1 {
            return None;
        }
        let (slot, n_seen) = self.get(lane, twice / 2)?;
        Some((slot, twice, n_seen))
    }

    /// Returns the nth event of a lane, if it exists and waits for no other lane: its slot, and the number of added
    /// events that were seen.
    #[inline(always)]
    fn get(&self, lane: &Lane, nth: u64) -> Option<(usize, u64)> {
        // Relaxed: the thread that stored this number holds the lane, or has completed an event since. Otherwise the
        // compare-exchange of the caller will fail.
        let mut n_seen = lane.progress.n_seen.load(Ordering::Relaxed);
        if nth >= n_seen {
            // Acquire: pairs with the Release in `arrive`.
            n_seen = lane.n_come.load(needed("lane has more", Ordering::Acquire));
        }
        if nth >= n_seen {
            return None;
        }
        let slot = self.if_free(lane.entry(nth))?;
        Some((slot, n_seen))
    }

    #[inline(always)]
    fn take_from(&self, lane: &Lane) -> Option<(usize, u64)> {
        let (slot, twice, n_seen) = self.next(lane)?;
        let progress = &lane.progress;
        // Relaxed: `next` has acquired all required writes.
        let taken =
            progress
                .twice
                .compare_exchange(twice, twice + 1, Ordering::Relaxed, Ordering::Relaxed);
        taken.ok()?;
        // Relaxed: released when the event is completed.
        progress.n_seen.store(n_seen, Ordering::Relaxed);
        Some((slot, twice / 2))
    }
}

impl Dispatch for Lanes {
    /// Many slots: behind a long chain of events that wait for each other, there may be others that can run.
    const N_SLOTS: usize = 2048;
    const LABEL: ModeLabel = ModeLabel::Lanes;

    type Dispatcher = LaneDispatcher;

    fn new(n_slots: usize, n_threads: usize) -> Self {
        assert!(n_slots <= 1 << Head::SLOT_BITS, "too many slots");
        Self {
            lanes: (0..n_threads.clamp(1, MOST_LANES))
                .map(|_| Lane::new(n_slots))
                .collect(),
        }
    }

    fn most_others(&self) -> u32 {
        self.lanes.len() as u32 - 1
    }

    fn dispatcher(&self) -> LaneDispatcher {
        let (n_slots, n_lanes) = (self.lanes[0].entries.len(), self.lanes.len());
        LaneDispatcher {
            tails: LaneTails::new(ROWS * n_slots, n_lanes),
            events: vec![LaneTail::NONE; n_slots].into(),
            loads: Loads::new(n_lanes, SPARE),
            n_conflicts: ConflictCount::default(),
        }
    }

    #[inline]
    fn max_entries(&self) -> usize {
        usize::MAX
    }

    #[inline]
    fn has_room(&self, _: &LaneDispatcher, _: usize) -> bool {
        true
    }

    #[inline(always)]
    fn prefetch_tail(&self, dispatcher: &LaneDispatcher, address: NonNull<()>, _: Use) {
        dispatcher.tails.prefetch(address);
    }

    #[inline(always)]
    fn would_be_at_once(&self, dispatcher: &LaneDispatcher, n_before: u64) -> bool {
        n_before >= dispatcher.loads.room()
    }

    /// Inlined: a call would pass the footprint through memory, with stores and loads of different sizes, which stall.
    #[inline(always)]
    fn arrive(&self, dispatcher: &mut LaneDispatcher, slot: usize, entries: &impl Entries) -> bool {
        let mut until = Until::default();
        entries.each(|address, how| dispatcher.tails.look(address, how, &mut until));
        let waits = dispatcher.loads.waits(&until);
        dispatcher.n_conflicts.note(waits != 0);
        let lane = match waits {
            0 => dispatcher.loads.lane_for_free(),
            _ => Some(dispatcher.loads.lane_for(&until)),
        };
        let Some(lane) = lane else {
            dispatcher.events[slot] = LaneTail::NONE;
            return true;
        };
        // Earlier events of its own lane are completed anyway.
        let waits = waits & !(1 << lane);
        let nth = dispatcher.loads.come(lane);
        let tail = LaneTail::new(lane, nth + 1);
        // The previous event at this place of the ring is completed.
        let entry = self.lanes[lane].entry(nth);
        // Another thread has read this cache line.
        prefetch_to_write(self.lanes[lane].entry(nth + N_AHEAD));
        dispatcher.events[slot] = tail;
        // Relaxed: released by the store of `n_come` below, like all stores here.
        (entry.head).store(Head::new(slot, waits).0, Ordering::Relaxed);
        if waits != 0 {
            for (to, until) in entry.until.iter().zip(&until[..self.lanes.len()]) {
                to.store(*until as u32, Ordering::Relaxed);
            }
        }
        let mut hints = entry.hints.iter();
        entries.each(|address, how| {
            dispatcher.tails.join(address, how, tail);
            if how == Use::Write
                && let Some(hint) = hints.next()
            {
                hint.store(address.as_ptr(), Ordering::Relaxed);
            }
        });
        hints.for_each(|hint| hint.store(null_mut(), Ordering::Relaxed));
        // Release: pairs with the Acquire in `get`.
        self.lanes[lane]
            .n_come
            .store(tail.end(), needed("lane, arrive", Ordering::Release));
        false
    }

    #[inline]
    fn arrive_done(&self, dispatcher: &mut LaneDispatcher, slot: usize) {
        dispatcher.events[slot] = LaneTail::NONE;
    }

    /// If `goes_on`, hands out the next event of the lane, if it is the lane of this thread.
    #[inline]
    fn complete(&self, thread: usize, held: Held, goes_on: bool) -> Freed {
        let (of, nth) = (held.lane as usize, held.nth);
        let lane = &self.lanes[of];
        let Progress { twice, n_seen } = &*lane.progress;
        let next = if goes_on && self.lane_of(thread) == of {
            self.get(lane, nth + 1)
        } else {
            None
        };
        if let Some((_, seen)) = next {
            // Relaxed: as in `take_from`.
            n_seen.store(seen, Ordering::Relaxed);
        }
        // Release: pairs with the Acquire in `next` and `n_done`.
        let so_far = 2 * (nth + 1) + u64::from(next.is_some());
        twice.store(so_far, needed("lane, complete", Ordering::Release));
        Freed::only(next.map(|(slot, _)| Held::in_lane(slot, of, nth + 1)))
    }

    #[inline]
    fn is_done(&self, dispatcher: &mut LaneDispatcher, slot: usize) -> bool {
        let tail = dispatcher.events[slot];
        // An event without a lane is completed.
        let lane = tail.lane();
        (dispatcher.loads).has_come(lane, tail.end(), || self.lanes[lane].n_done())
    }

    #[inline]
    fn release(&self, _: &mut LaneDispatcher, _: usize) {}

    fn set_oldest(&self, _: usize) {}

    #[inline]
    fn wanted(&self, dispatcher: &mut LaneDispatcher, turn: u32) -> u32 {
        dispatcher.loads.see(self.lanes.iter().map(Lane::n_done));
        let all_waits = || self.next(&self.lanes[DISPATCHER]).is_none();
        dispatcher.loads.wanted(turn, all_waits)
    }

    #[inline]
    fn has_some(&self) -> bool {
        self.lanes.iter().any(|lane| self.next(lane).is_some())
    }

    #[inline]
    fn take(&self, thread: usize, is_idle: bool) -> Option<Held> {
        let own = self.lane_of(thread);
        let take_from = |nth: usize| {
            let (slot, n_before) = self.take_from(&self.lanes[nth])?;
            Some(Held::in_lane(slot, nth, n_before))
        };
        if let Some(held) = take_from(own) {
            return Some(held);
        }
        // A look into other lanes slows their threads down.
        let mut others = (own + 1..self.lanes.len()).chain(0..own);
        is_idle.then(|| others.find_map(take_from)).flatten()
    }

    #[inline]
    fn look_ahead(&self, _: usize, held: Held, mut notify: impl FnMut(usize)) {
        let (lane, next) = (&self.lanes[held.lane as usize], held.nth + 1);
        // Relaxed: hints, and any value is safe to prefetch.
        let n_seen = lane.progress.n_seen.load(Ordering::Relaxed);
        if next + N_AHEAD < n_seen {
            prefetch(lane.entry(next + N_AHEAD));
        }
        if next + 1 < n_seen {
            notify(Head(lane.entry(next + 1).head.load(Ordering::Relaxed)).slot());
        }
        if next < n_seen {
            for hint in &lane.entry(next).hints {
                let address = hint.load(Ordering::Relaxed);
                if address.is_null() {
                    break;
                }
                prefetch_line_to_write(address);
            }
        }
    }

    fn prefetch(&self, _: usize) {}

    #[inline]
    fn take_n_conflicts(&self, dispatcher: &mut LaneDispatcher) -> u64 {
        dispatcher.n_conflicts.take()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::*;

    /// Returns the lanes of events that write these records, in order. `None` for events that are handed out
    /// immediately.
    fn lanes_of(n_lanes: usize, events: &[&[usize]]) -> Vec<Option<usize>> {
        let lanes = Lanes::new(64, n_lanes);
        let mut dispatcher = lanes.dispatcher();
        let address = |nth: usize| NonNull::new(without_provenance_mut(16 + 16 * nth)).unwrap();
        let each = events.iter().enumerate();
        each.map(|(slot, records)| {
            let footprint = records.iter().map(|nth| (address(*nth), Use::Write));
            let is_at_once = lanes.arrive(&mut dispatcher, slot, &footprint.collect::<Vec<_>>());
            (!is_at_once).then(|| dispatcher.events[slot].lane())
        })
        .collect()
    }

    #[test]
    fn free_event_goes_to_the_lane_with_the_least_work() {
        let events: [&[usize]; 3] = [&[0], &[1], &[2]];
        assert_eq!(lanes_of(3, &events), [Some(1), Some(2), None]);
        assert_eq!(lanes_of(1, &events), [None; 3]);
    }

    #[test]
    fn waiting_event_goes_to_the_lane_where_it_begins_first() {
        // All in one lane, because a wait for another lane takes longer.
        assert_eq!(lanes_of(2, &[&[0], &[0], &[0], &[0]]), [Some(1); 4]);
        // The last one waits for the second, and would begin after all six.
        let events: [&[usize]; 7] = [&[0], &[0, 1], &[0], &[0], &[0], &[0], &[1]];
        let (before, last) = ([Some(1); 6], [Some(0)]);
        assert_eq!(lanes_of(2, &events), [&before[..], &last].concat());
    }

    #[test]
    fn progress_of_a_lane_may_exceed_32_bits() {
        let lanes = Lanes::new(64, 2);
        let mut dispatcher = lanes.dispatcher();
        let start = u64::from(u32::MAX) - 1;
        for (nth, lane) in lanes.lanes.iter().enumerate() {
            dispatcher.loads.set(nth, start, start);
            lane.n_come.store(start, Ordering::Relaxed);
            lane.progress.n_seen.store(start, Ordering::Relaxed);
            lane.progress.twice.store(2 * start, Ordering::Relaxed);
        }
        let address = NonNull::new(without_provenance_mut(8)).unwrap();
        let write = vec![(address, Use::Write)];
        for slot in 0..4 {
            assert!(!lanes.arrive(&mut dispatcher, slot, &write));
        }
        // The last event goes to the other lane, and waits for all of them.
        dispatcher.loads.set(1, start + 4 + 100, start);
        assert!(!lanes.arrive(&mut dispatcher, 4, &write));
        assert_eq!(dispatcher.events[4].lane(), 0);
        for slot in 0..4 {
            assert!(lanes.take(0, false).is_none(), "it waits for {slot}");
            let held = lanes.take(1, false).expect("the next one");
            assert_eq!(held.slot(), slot);
            assert!(
                lanes.complete(0, held, true).next.is_none(),
                "thread 0 has another lane"
            );
        }
        assert_eq!(lanes.take(0, false).expect("the last one").slot(), 4);
    }
}
