//! The trait of the structures that order events.

use core::fmt;
use core::ptr::NonNull;

use crate::base::footprint::{Entries, Use};
use crate::observe::meter::ModeLabel;

/// The index of the dispatcher among the threads that take events.
pub(crate) const DISPATCHER: usize = 0;

/// An event that a thread holds: it was handed out and is not completed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    slot: u32,
    /// The lane of the event, and its index in the lane. Both are 0 without lanes.
    pub(crate) lane: u32,
    pub(crate) nth: u64,
}

impl Held {
    /// An event in this slot, without lanes.
    #[inline(always)]
    pub(crate) fn new(slot: usize) -> Self {
        Self::in_lane(slot, 0, 0)
    }

    /// An event in this slot, at index `nth` of this lane.
    #[inline(always)]
    pub(crate) fn in_lane(slot: usize, lane: usize, nth: u64) -> Self {
        let (slot, lane) = (slot as u32, lane as u32);
        Self { slot, lane, nth }
    }

    #[inline(always)]
    pub(crate) fn slot(self) -> usize {
        self.slot as usize
    }
}

/// The result of completing an event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Freed {
    /// The next event for the thread that completed it.
    pub(crate) next: Option<Held>,
    /// Whether other events became ready, for other threads.
    pub(crate) has_more: bool,
}

impl Freed {
    /// A result without events for other threads.
    #[inline(always)]
    pub(crate) fn only(next: Option<Held>) -> Self {
        Self {
            next,
            has_more: false,
        }
    }
}

/// Orders events, and hands them out when they may be processed. It identifies events by slots. One thread, the
/// dispatcher, assigns slots to arriving events in turn.
///
/// An event that has arrived is handed out once, by [`arrive`](Dispatch::arrive), [`take`](Dispatch::take) or
/// [`complete`](Dispatch::complete). Before that, all earlier events that share a record with it are completed, if one
/// of the two writes the record. The thread that gets the event sees their writes.
///
/// The dispatcher immediately handles an event that `arrive` hands out, before it calls another method. So no other
/// event waits for it, and it needs no completion.
pub(crate) trait Dispatch: Send + Sync + fmt::Debug + 'static {
    /// Maximum number of events in flight, a power of two.
    const N_SLOTS: usize;
    /// The mode in metrics.
    const LABEL: ModeLabel;

    /// The state that only the dispatcher uses.
    type Dispatcher: Send + fmt::Debug + 'static;

    /// Creates the structure. `n_slots` is a power of two.
    fn new(n_slots: usize, n_threads: usize) -> Self;

    /// Returns the maximum number of useful helpers.
    fn most_others(&self) -> u32 {
        u32::MAX
    }

    fn dispatcher(&self) -> Self::Dispatcher;

    /// Returns the maximum number of entries of an event that may run in parallel with others.
    fn max_entries(&self) -> usize;

    /// Returns whether there is room for an event with this number of entries.
    fn has_room(&self, dispatcher: &Self::Dispatcher, n_entries: usize) -> bool;

    /// Prefetches the memory that the arrival of an event with this entry will use.
    fn prefetch_tail(&self, dispatcher: &Self::Dispatcher, address: NonNull<()>, how: Use);

    /// Returns whether an event that waits for nothing would be handed out immediately, after `n_before` more arrivals.
    fn would_be_at_once(&self, dispatcher: &Self::Dispatcher, n_before: u64) -> bool {
        let _ = (dispatcher, n_before);
        false
    }

    /// Adds an event with these entries, in a free slot. Returns whether it is handed out immediately.
    fn arrive(
        &self,
        dispatcher: &mut Self::Dispatcher,
        slot: usize,
        entries: &impl Entries,
    ) -> bool;

    /// Lets other threads take the events that have arrived. Called when no more events arrive for now.
    fn publish(&self, dispatcher: &mut Self::Dispatcher) {
        let _ = dispatcher;
    }

    /// Adds an event that needs no processing.
    fn arrive_done(&self, dispatcher: &mut Self::Dispatcher, slot: usize);

    /// Completes an event that this thread holds. If `goes_on`, hands out one of the events that became ready to it.
    /// Other events that became ready can be taken. `Freed::has_more` reports them, as far as known.
    fn complete(&self, thread: usize, held: Held, goes_on: bool) -> Freed;

    /// Returns whether an event is completed. If it is, the dispatcher sees its writes.
    fn is_done(&self, dispatcher: &mut Self::Dispatcher, slot: usize) -> bool;

    /// Releases the oldest event, which is completed.
    fn release(&self, dispatcher: &mut Self::Dispatcher, slot: usize);

    /// Sets the slot of the oldest event that is not released. Called from time to time.
    fn set_oldest(&self, slot: usize);

    /// Returns the maximum number of arrivals before the next call. It is 0 if helpers and the dispatcher have enough
    /// events. The dispatcher handles about `turn` events in a turn. The method adapts to what it sees in each call.
    fn wanted(&self, dispatcher: &mut Self::Dispatcher, turn: u32) -> u32;

    /// Returns whether an event can be taken. Approximate.
    fn has_some(&self) -> bool;

    /// Hands out one of the oldest events that can be taken. If the thread is not idle, it may leave events to other
    /// threads.
    fn take(&self, thread: usize, is_idle: bool) -> Option<Held>;

    /// Prefetches the memory for completing this event, and for the events that this thread will probably get next.
    /// Calls `notify` with slots that will be needed soon.
    fn look_ahead(&self, thread: usize, held: Held, notify: impl FnMut(usize));

    /// Prefetches the shared state of an event.
    fn prefetch(&self, slot: usize);

    /// Returns the number of events that had to wait for an earlier one, since the last call. 0 if it is not counted.
    fn take_n_conflicts(&self, dispatcher: &mut Self::Dispatcher) -> u64 {
        let _ = dispatcher;
        0
    }
}

#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, not(loom)))]
mod tests;
