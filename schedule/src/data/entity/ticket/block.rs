//! The entities of consecutive tickets, and whether they are known.
//!
//! Invariant: the issuer of the tickets stores the entity of a slot before it counts the slot in `n_resolved`, and never changes it while
//! there are tickets. All others read a slot only after they have seen that it is counted.
#![expect(unsafe_code, reason = "reads entities that one thread stores once")]

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The number of tickets that share an allocation.
pub(super) const TICKETS_PER_BLOCK: usize = 32;

/// The entities of consecutive tickets.
pub(super) struct Block<E> {
    /// `entities[i]`: the entity of ticket i. Initialised if `i < n_resolved`.
    entities: [UnsafeCell<MaybeUninit<E>>; TICKETS_PER_BLOCK],
    n_resolved: AtomicUsize,
    /// Whether the commands of the tickets without an entity were dropped.
    is_dropped: AtomicBool,
}

// SAFETY: by the invariant, threads that share a block only read the entities that are counted.
unsafe impl<E: Send + Sync> Sync for Block<E> {}

impl<E> Block<E> {
    pub(super) fn new() -> Self {
        Self {
            entities: [const { UnsafeCell::new(MaybeUninit::uninit()) }; TICKETS_PER_BLOCK],
            n_resolved: AtomicUsize::new(0),
            is_dropped: AtomicBool::new(false),
        }
    }

    /// Stores the entity of a slot.
    ///
    /// # Safety
    ///
    /// Only the issuer calls it, for each slot once, in their order.
    #[inline]
    pub(super) unsafe fn resolve(&self, slot: usize, entity: E) {
        let place = self.entities[slot].get();
        // SAFETY: only the issuer writes slots, and this one is not counted yet, so no thread reads it.
        unsafe { place.write(MaybeUninit::new(entity)) };
        // Release: pairs with the Acquire in `entity`.
        self.n_resolved.store(slot + 1, Ordering::Release);
    }

    /// Notes that the commands of the tickets without an entity were dropped.
    pub(super) fn drop_unresolved(&self) {
        // Release: pairs with the Acquire in `is_dropped`.
        self.is_dropped.store(true, Ordering::Release);
    }

    /// Whether the commands of the tickets without an entity were dropped.
    pub(super) fn is_dropped(&self) -> bool {
        // Acquire: pairs with the Release in `drop_unresolved`, which follows the last store of an entity.
        self.is_dropped.load(Ordering::Acquire)
    }

    /// Forgets all entities.
    pub(super) fn reset(&mut self) {
        *self.n_resolved.get_mut() = 0;
    }
}

impl<E: Copy> Block<E> {
    /// Returns the entity of a slot, if it is known.
    #[inline]
    pub(super) fn entity(&self, slot: usize) -> Option<E> {
        // Acquire: pairs with the Release in `resolve`.
        if slot >= self.n_resolved.load(Ordering::Acquire) {
            return None;
        }
        let entity = self.entities[slot].get();
        // SAFETY: the slot is counted, so by the invariant nothing writes it any more.
        let entity = unsafe { entity.read() };
        // SAFETY: the slot is counted, so by the invariant it was stored before.
        Some(unsafe { entity.assume_init() })
    }
}
