//! The events that are in flight, by slot.
//!
//! Invariant: a slot is touched by the dispatcher from the time at which the event in it has gone until the next one has arrived,
//! and again once that is completed; in between by the thread to which it was handed out, and by nobody until then. Who that
//! is, [`Dispatch`](super::dispatch::Dispatch) says.
#![expect(unsafe_code, reason = "shares slots by turns, as others say")]

use core::cell::UnsafeCell;
use core::fmt;

use crossbeam_utils::CachePadded;

use super::event::{Event, Handled};
use super::footprint::Footprint;
use super::reason::Reason;
use schedule::internal::{Around, drop_caught, prefetch_line, prefetch_line_to_write};

/// An event in flight: what it names, and what became of it. Footprint first: they are read only by whoever handles it, and so
/// stay with the dispatcher, too.
#[repr(C)]
pub(super) struct InFlightEvent<E: Event> {
    pub(super) footprint: Footprint,
    /// How many events arrived before this one.
    pub(super) position: u64,
    /// What the span of its handler is in.
    pub(super) around: Around,
    pub(super) event: Option<E>,
    pub(super) result: Option<Result<Handled<E>, Reason>>,
}

/// Bytes of a cache line.
const LINE: usize = 64;
/// So many lines of an event, and of what became of it, are asked for.
const MOST_LINES: usize = 3;

impl<E: Event> InFlightEvent<E> {
    /// Drops an event without reporting it. Catches panics, because the thread may already unwind.
    pub(super) fn forget(&mut self) {
        self.footprint.forget();
        drop_caught(self.event.take());
        drop_caught(core::mem::replace(&mut self.around, Around::NOTHING));
        self.forget_result();
    }

    /// The same of what became of it.
    pub(super) fn forget_result(&mut self) {
        match self.result.take() {
            Some(Ok(handled)) => handled.forget(),
            Some(Err(reason)) => drop_caught(reason),
            None => {}
        }
    }
}

/// See the module.
pub(super) struct Ring<E: Event> {
    slots: Box<[CachePadded<UnsafeCell<InFlightEvent<E>>>]>,
}

// SAFETY: what is in it can be sent, and is touched by one thread at a time.
unsafe impl<E: Event> Sync for Ring<E> {}

impl<E: Event> Ring<E> {
    pub(super) fn new(n_slots: usize) -> Self {
        let slot = |_| {
            CachePadded::new(UnsafeCell::new(InFlightEvent {
                footprint: Footprint::new(),
                position: 0,
                around: Around::NOTHING,
                event: None,
                result: None,
            }))
        };
        Self {
            slots: (0..n_slots).map(slot).collect(),
        }
    }

    /// How many slots there are.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Of the event that came after so many others.
    #[inline(always)]
    pub(super) fn slot_of(&self, nth: u64) -> usize {
        nth as usize & (self.slots.len() - 1)
    }

    /// Asks for the memory of a slot, for who handles what is in it.
    #[inline]
    pub(super) fn prefetch(&self, slot: usize) {
        let footprint = self.slots[slot].get();
        prefetch_line(footprint.cast());
        self.prefetch_event(slot);
    }

    /// The same for the dispatcher, which tells what became of it.
    #[inline]
    pub(super) fn prefetch_event(&self, slot: usize) {
        let first = self.slots[slot].get();
        let lines = (size_of::<Footprint>()..size_of::<InFlightEvent<E>>()).step_by(LINE);
        for line in lines.take(MOST_LINES) {
            prefetch_line_to_write(first.wrapping_byte_add(line).cast());
        }
    }

    /// The same for the dispatcher, which will let an event name what it touches.
    #[inline]
    pub(super) fn prefetch_footprint(&self, slot: usize) {
        prefetch_line_to_write(self.slots[slot].get().cast());
    }

    /// What is in a slot.
    ///
    /// # Safety
    ///
    /// It is this thread's turn, and what was borrowed of the slot before is not used any more.
    #[expect(
        clippy::mut_from_ref,
        reason = "a slot belongs to one thread at a time"
    )]
    pub(super) unsafe fn slot(&self, slot: usize) -> &mut InFlightEvent<E> {
        // SAFETY: only this thread may touch the slot now, and no other borrow of it is in use: the contract of this
        // function.
        unsafe { &mut *self.slots[slot].get() }
    }
}

impl<E: Event> fmt::Debug for Ring<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ring({})", self.slots.len())
    }
}
