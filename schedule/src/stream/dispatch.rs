//! What it takes to hand out events in order.

use core::fmt;
use core::ptr::NonNull;

use super::claim::Use;
use super::queues::{Front, Queues};

/// Says which events may be processed: by slots, of which one thread, the front, gives one to each that arrives.
///
/// An event that has arrived is handed out once, by [`arrive`](Dispatch::arrive), [`take`](Dispatch::take) or
/// [`complete`](Dispatch::complete), and only after all that came before it and share an entity with it, of which one of the
/// two is a writer, were completed: who gets it sees what was written before that.
pub(super) trait Dispatch: Send + Sync + fmt::Debug + 'static {
    /// What the front alone knows.
    type Front: Send + fmt::Debug + 'static;

    /// For so many events at once, a power of two, and so many threads that take them.
    fn new(n_slots: usize, n_threads: usize) -> Self;

    fn front(&self) -> Self::Front;

    /// The most entities that an event may name, to have others beside it.
    fn most_claims(&self) -> usize;

    /// Whether an event that names so many entities may arrive, as far as their number goes.
    fn has_room(&self, front: &Self::Front, n_claims: usize) -> bool;

    /// Lets an event arrive that names these, in a slot from which the last one has gone. Whether it is handed out at once.
    fn arrive(
        &self,
        front: &mut Self::Front,
        slot: usize,
        claims: impl Iterator<Item = (NonNull<()>, Use)>,
    ) -> bool;

    /// An event that needs no processing has arrived in a slot.
    fn arrive_done(&self, front: &mut Self::Front, slot: usize);

    /// Ends an event that this thread was handed out, and hands out some that waited for it.
    fn complete(&self, slot: usize, hand_out: impl FnMut(usize));

    /// Whether an event is completed. For the front, which sees then what was written before.
    fn is_done(&self, slot: usize) -> bool;

    /// Lets the oldest event go, which is completed.
    fn release(&self, front: &mut Self::Front, slot: usize);

    /// Where the oldest event is that has not gone: to be told now and then.
    fn set_oldest(&self, slot: usize);

    /// Lets others take these events, which were handed out to this thread, the `thread`th: bits of a word of slots.
    fn put(&self, thread: usize, word: usize, bits: u64);

    /// How much there is that nobody but the `thread`th thread would have to take from another; if that is nothing, how much
    /// there is in all. About.
    fn n_ready(&self, thread: usize) -> u32;

    /// Hands out one of the events that may be taken, one of the oldest, to the `thread`th thread.
    fn take(&self, thread: usize) -> Option<usize>;

    /// What it will be next, and then, about, if that costs little to say.
    fn peek(&self, thread: usize) -> [Option<usize>; 2];

    /// Asks for the memory that is shared of an event.
    fn prefetch(&self, slot: usize);

    /// Asks for entities that an event will write.
    fn prefetch_entities(&self, slot: usize);
}

impl Dispatch for Queues {
    type Front = Front;

    fn new(n_slots: usize, n_threads: usize) -> Self {
        Queues::new(n_slots, n_threads)
    }

    fn front(&self) -> Front {
        self.front()
    }

    #[inline]
    fn most_claims(&self) -> usize {
        self.most_claims()
    }

    #[inline]
    fn has_room(&self, front: &Front, n_claims: usize) -> bool {
        self.has_room(front, n_claims)
    }

    #[inline]
    fn arrive(
        &self,
        front: &mut Front,
        slot: usize,
        claims: impl Iterator<Item = (NonNull<()>, Use)>,
    ) -> bool {
        self.arrive(front, slot, claims)
    }

    #[inline]
    fn arrive_done(&self, front: &mut Front, slot: usize) {
        self.arrive_done(front, slot);
    }

    #[inline]
    fn complete(&self, slot: usize, hand_out: impl FnMut(usize)) {
        self.complete(slot, hand_out);
    }

    #[inline]
    fn is_done(&self, slot: usize) -> bool {
        self.is_done(slot)
    }

    #[inline]
    fn release(&self, front: &mut Front, slot: usize) {
        self.release(front, slot);
    }

    #[inline]
    fn set_oldest(&self, slot: usize) {
        self.ready().set_oldest(slot);
    }

    #[inline]
    fn put(&self, thread: usize, word: usize, bits: u64) {
        self.ready().put(thread, word, bits);
    }

    #[inline]
    fn n_ready(&self, thread: usize) -> u32 {
        match self.ready().len(thread) {
            0 => self.ready().len_of_all(),
            n => n,
        }
    }

    #[inline]
    fn take(&self, thread: usize) -> Option<usize> {
        self.ready().take(thread)
    }

    #[inline]
    fn peek(&self, thread: usize) -> [Option<usize>; 2] {
        self.ready().peek(thread)
    }

    #[inline]
    fn prefetch(&self, slot: usize) {
        self.prefetch(slot);
    }

    #[inline]
    fn prefetch_entities(&self, slot: usize) {
        self.prefetch_entities(slot);
    }
}

#[cfg(all(test, loom))]
mod model;
