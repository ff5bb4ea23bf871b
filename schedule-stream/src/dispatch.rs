//! What it takes to hand out events in order.

use core::fmt;
use core::ptr::NonNull;

use super::footprint::{Named, Use};

/// The number of the dispatcher among the threads that take events.
pub(super) const DISPATCHER: usize = 0;

/// An event that a thread holds: it was handed out, and is not completed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    slot: u32,
    /// The lane that it is in, and how many were there before it; if there are lanes.
    pub(super) lane: u32,
    pub(super) nth: u64,
}

impl Held {
    /// In this slot, where there are no lanes.
    #[inline(always)]
    pub(super) fn new(slot: usize) -> Self {
        Self::in_lane(slot, 0, 0)
    }

    /// In this slot, and the `nth` of this lane.
    #[inline(always)]
    pub(super) fn in_lane(slot: usize, lane: usize, nth: u64) -> Self {
        let (slot, lane) = (slot as u32, lane as u32);
        Self { slot, lane, nth }
    }

    #[inline(always)]
    pub(super) fn slot(self) -> usize {
        self.slot as usize
    }
}

/// What it leaves that an event is completed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Freed {
    /// For the thread that completed it.
    pub(super) next: Option<Held>,
    /// There is more, for others.
    pub(super) has_more: bool,
}

impl Freed {
    /// No more than this.
    #[inline(always)]
    pub(super) fn only(next: Option<Held>) -> Self {
        Self {
            next,
            has_more: false,
        }
    }
}

/// Says which events may be processed: by slots, of which one thread, the dispatcher, gives one to each that arrives,
/// in turn.
///
/// An event that has arrived is handed out once, by [`arrive`](Dispatch::arrive), [`take`](Dispatch::take) or
/// [`complete`](Dispatch::complete), and only after all that came before it and share a record with it, of which one of the
/// two is a writer, were completed: who gets it sees what was written before that. What `arrive` hands out, the dispatcher handles
/// at once, before it asks for anything else: so nothing ever waits for that, and it needs no completion.
pub(super) trait Dispatch: Send + Sync + fmt::Debug + 'static {
    /// How many events may be in flight. A power of two.
    const N_SLOTS: usize;

    /// What the dispatcher alone knows.
    type Dispatcher: Send + fmt::Debug + 'static;

    /// For so many events at once, a power of two, and so many threads that take them.
    fn new(n_slots: usize, n_threads: usize) -> Self;

    /// So many threads beside the dispatcher are of use.
    fn most_others(&self) -> u32 {
        u32::MAX
    }

    fn dispatcher(&self) -> Self::Dispatcher;

    /// The most records that an event may name, to have others beside it.
    fn max_entries(&self) -> usize;

    /// Whether an event that names so many records may arrive, as far as their number goes.
    fn has_room(&self, dispatcher: &Self::Dispatcher, n_entries: usize) -> bool;

    /// Asks for the memory that it will take to let an event arrive that names this: one will soon.
    fn prefetch_tail(&self, dispatcher: &Self::Dispatcher, address: NonNull<()>, how: Use);

    /// Whether an event that has to wait for nothing would be handed out at once, if so many others arrived before it.
    fn would_be_at_once(&self, dispatcher: &Self::Dispatcher, n_before: u64) -> bool {
        let _ = (dispatcher, n_before);
        false
    }

    /// Lets an event arrive that names this, in a slot from which the last one has gone. Whether it is handed out at once.
    fn arrive(&self, dispatcher: &mut Self::Dispatcher, slot: usize, named: &impl Named) -> bool;

    /// Lets others take what has arrived: to be told when no more arrives for now.
    fn publish(&self, dispatcher: &mut Self::Dispatcher) {
        let _ = dispatcher;
    }

    /// An event that needs no processing has arrived in a slot.
    fn arrive_done(&self, dispatcher: &mut Self::Dispatcher, slot: usize);

    /// Ends an event that this thread, the `thread`th, holds, and hands out one that comes after it, if there is one and the
    /// thread goes on; others that may be processed now may be taken: whether there are any is told as far as it is known.
    fn complete(&self, thread: usize, held: Held, goes_on: bool) -> Freed;

    /// Whether an event is completed. For the dispatcher, which sees then what was written before.
    fn is_done(&self, dispatcher: &mut Self::Dispatcher, slot: usize) -> bool;

    /// Lets the oldest event go, which is completed.
    fn release(&self, dispatcher: &mut Self::Dispatcher, slot: usize);

    /// Where the oldest event is that has not gone: to be told now and then.
    fn set_oldest(&self, slot: usize);

    /// So many events are to arrive before this is asked again, at most: none if there is enough to be taken for now, by others
    /// and the dispatcher, which handles about so many in a turn, and finds some unless others are faster. Learns by being asked.
    fn wanted(&self, dispatcher: &mut Self::Dispatcher, turn: u32) -> u32;

    /// Whether there is an event that may be taken. About.
    fn has_some(&self) -> bool;

    /// Hands out one of the events that may be taken, one of the oldest, to the `thread`th thread. If that is not idle, it may
    /// leave those that are rather for others.
    fn take(&self, thread: usize, is_idle: bool) -> Option<Held>;

    /// Asks for the memory that it will take to complete this event, which this thread was handed out, and for that of those
    /// which this thread will most probably be handed out next; tells of slots that will be needed soon.
    fn look_ahead(&self, thread: usize, held: Held, notify: impl FnMut(usize));

    /// Asks for the memory that is shared of an event.
    fn prefetch(&self, slot: usize);
}

#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, not(loom)))]
mod tests;
