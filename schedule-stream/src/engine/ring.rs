//! The events in flight, by slot.
//!
//! Invariant: one thread at a time accesses a slot. The dispatcher accesses it from the release of one event until the
//! arrival of the next one, and again after that event is completed. In between, only the thread that holds the event
//! accesses it. [`Dispatch`](super::dispatch::Dispatch) determines which thread holds it.
#![expect(unsafe_code, reason = "gives one thread at a time access to a slot")]

use core::cell::UnsafeCell;
use core::fmt;

use crossbeam_utils::CachePadded;

use crate::base::footprint::Footprint;
use crate::base::position::EventInfo;
use crate::program::event::{Event, Handled};
use crate::store::reason::Reason;
use schedule::internal::{ParentSpan, drop_caught, prefetch_line, prefetch_line_to_write};

/// An event in flight, with its footprint and result. The footprint comes first: other threads only read it, so its
/// cache line stays with the dispatcher.
#[repr(C)]
pub(crate) struct InFlightEvent<E: Event> {
    pub(crate) footprint: Footprint,
    /// The position and the time of the event.
    pub(crate) info: EventInfo,
    /// The parent of the span of its handler.
    pub(crate) parent_span: ParentSpan,
    pub(crate) event: Option<E>,
    pub(crate) result: Option<Result<Handled<E>, Reason>>,
}

/// Size of a cache line in bytes.
const LINE: usize = 64;
/// Maximum number of cache lines of an event and its result that are prefetched.
const MOST_LINES: usize = 3;

impl<E: Event> InFlightEvent<E> {
    /// Drops an event without reporting it. Catches panics, because the thread may already unwind.
    pub(crate) fn forget(&mut self) {
        self.footprint.forget();
        drop_caught(self.event.take());
        drop_caught(core::mem::replace(
            &mut self.parent_span,
            ParentSpan::NOTHING,
        ));
        self.forget_result();
    }

    /// Drops the result without reporting it. Catches panics.
    pub(crate) fn forget_result(&mut self) {
        match self.result.take() {
            Some(Ok(handled)) => handled.forget(),
            Some(Err(reason)) => drop_caught(reason),
            None => {}
        }
    }
}

/// See the module.
pub(crate) struct Ring<E: Event> {
    slots: Box<[CachePadded<UnsafeCell<InFlightEvent<E>>>]>,
}

// SAFETY: one thread at a time accesses a slot: the invariant of this module. Events, results and footprints are
// `Send`, so it may be any thread.
unsafe impl<E: Event> Sync for Ring<E> {}

impl<E: Event> Ring<E> {
    pub(crate) fn new(n_slots: usize) -> Self {
        let slot = |_| {
            CachePadded::new(UnsafeCell::new(InFlightEvent {
                footprint: Footprint::new(),
                info: EventInfo::NOTHING,
                parent_span: ParentSpan::NOTHING,
                event: None,
                result: None,
            }))
        };
        Self {
            slots: (0..n_slots).map(slot).collect(),
        }
    }

    /// Returns the number of slots.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the slot of the event with index `nth`.
    #[inline(always)]
    pub(crate) fn slot_of(&self, nth: u64) -> usize {
        nth as usize & (self.slots.len() - 1)
    }

    /// Prefetches a slot, for the thread that will handle its event.
    #[inline]
    pub(crate) fn prefetch(&self, slot: usize) {
        let footprint = self.slots[slot].get();
        prefetch_line(footprint.cast());
        self.prefetch_event(slot);
    }

    /// Prefetches the event and result of a slot, for the dispatcher that will report them.
    #[inline]
    pub(crate) fn prefetch_event(&self, slot: usize) {
        let first = self.slots[slot].get();
        let lines = (size_of::<Footprint>()..size_of::<InFlightEvent<E>>()).step_by(LINE);
        for line in lines.take(MOST_LINES) {
            prefetch_line_to_write(first.wrapping_byte_add(line).cast());
        }
    }

    /// Prefetches the footprint of a slot, for the dispatcher that will write it.
    #[inline]
    pub(crate) fn prefetch_footprint(&self, slot: usize) {
        prefetch_line_to_write(self.slots[slot].get().cast());
    }

    /// Returns the content of a slot.
    ///
    /// # Safety
    ///
    /// Only this thread may access the slot now, and earlier borrows of it are no longer used.
    #[expect(
        clippy::mut_from_ref,
        reason = "a slot belongs to one thread at a time"
    )]
    pub(crate) unsafe fn slot(&self, slot: usize) -> &mut InFlightEvent<E> {
        // SAFETY: only this thread accesses the slot, and no other borrow of it is in use: the contract of this
        // function.
        unsafe { &mut *self.slots[slot].get() }
    }
}

impl<E: Event> fmt::Debug for Ring<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ring({})", self.slots.len())
    }
}
