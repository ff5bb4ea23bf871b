//! What an ordering of events has to do.

use core::fmt;
use core::ptr::NonNull;

use super::claim::Use;
use super::queues::{Front, Queues, Taken};

/// Says which events may be processed: by slots, of which one thread, the front, gives one to each that arrives.
///
/// An event that has arrived is handed out once, by [`arrive`](Order::arrive), [`take`](Order::take) or
/// [`complete`](Order::complete), and only after all that came before it and share an entity with it, of which one of the
/// two is a writer, were completed: who gets it sees what was written before that.
pub(super) trait Order: Send + Sync + fmt::Debug + 'static {
    /// What the front alone knows.
    type Front: Send + fmt::Debug + 'static;

    /// For so many events at once, a power of two.
    fn new(n_slots: usize) -> Self;

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

    /// Lets others take these events, which were handed out to this thread: bits of a word of slots.
    fn put(&self, word: usize, bits: u64);

    /// Asks for the memory that is shared of an event.
    fn prefetch(&self, slot: usize);

    /// How much there is to take, about.
    fn n_ready(&self) -> u32;

    /// Hands out the oldest of the events that may be taken: `most` at most, and no more than a share, but one at least.
    fn take(&self, most: u32, n_shares: u32) -> Taken;
}

impl Order for Queues {
    type Front = Front;

    fn new(n_slots: usize) -> Self {
        Queues::new(n_slots)
    }

    fn front(&self) -> Front {
        self.front()
    }

    fn most_claims(&self) -> usize {
        self.most_claims()
    }

    fn has_room(&self, front: &Front, n_claims: usize) -> bool {
        self.has_room(front, n_claims)
    }

    fn arrive(
        &self,
        front: &mut Front,
        slot: usize,
        claims: impl Iterator<Item = (NonNull<()>, Use)>,
    ) -> bool {
        self.arrive(front, slot, claims)
    }

    fn arrive_done(&self, front: &mut Front, slot: usize) {
        self.arrive_done(front, slot);
    }

    fn complete(&self, slot: usize, hand_out: impl FnMut(usize)) {
        self.complete(slot, hand_out);
    }

    fn is_done(&self, slot: usize) -> bool {
        self.is_done(slot)
    }

    fn release(&self, front: &mut Front, slot: usize) {
        self.release(front, slot);
    }

    fn put(&self, word: usize, bits: u64) {
        self.put(word, bits);
    }

    fn prefetch(&self, slot: usize) {
        self.prefetch(slot);
    }

    fn n_ready(&self) -> u32 {
        self.n_ready()
    }

    fn take(&self, most: u32, n_shares: u32) -> Taken {
        self.take(most, n_shares)
    }
}

#[cfg(all(test, loom))]
mod model;
