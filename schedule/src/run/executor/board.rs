//! Work that a thread shares with helpers while it runs a node.
//!
//! Invariant: a slot holds the address of work from `open` until its entrance is closed and empty again. The thread that shares the work
//! keeps it borrowed for that time. So a thread that has entered may use the address until it leaves.
#![expect(
    unsafe_code,
    reason = "lends work on the stack of one thread to others"
)]

use core::cell::UnsafeCell;
use core::mem::transmute;

use crossbeam_utils::CachePadded;

use super::entrance::Entrance;
use super::idle::idle;
use super::role::Role;

/// Work that several threads can do together.
pub(super) trait SharedWork: Sync {
    /// Does parts of the work until none is left to start. `role`: of this thread.
    fn take_part(&self, role: Role);
}

/// The work that threads of a run share at the moment.
pub(super) struct Board {
    slots: Box<[CachePadded<Slot>]>,
}

/// The maximum number of works that are shared at once. Threads do more works alone.
const N_SLOTS: usize = 4;

#[derive(Default)]
struct Slot {
    entrance: Entrance,
    work: UnsafeCell<Option<*const dyn SharedWork>>,
}

// SAFETY: the work is `Sync`. Only the owner of the entrance writes the cell, while it is closed and empty. Only threads that have
// entered read the cell.
unsafe impl Sync for Slot {}

// SAFETY: it is an address of work that is `Sync`, as for `Sync`.
unsafe impl Send for Slot {}

/// A slot whose entrance this thread has opened.
struct OpenSlot<'a>(&'a Slot);

impl<'a> OpenSlot<'a> {
    fn new(slot: &'a Slot) -> Self {
        slot.entrance.open();
        Self(slot)
    }
}

impl Drop for OpenSlot<'_> {
    fn drop(&mut self) {
        let entrance = &self.0.entrance;
        entrance.close();
        idle(|_| entrance.has_only_owner().then_some(()));
        entrance.release();
    }
}

impl Board {
    /// `is_used`: whether threads may share work.
    pub(super) fn new(is_used: bool) -> Self {
        let n_slots = if is_used { N_SLOTS } else { 0 };
        Self {
            slots: (0..n_slots).map(|_| CachePadded::default()).collect(),
        }
    }

    /// Does the work, together with the threads that come to help. Calls `call` once they can. Returns when the work is done.
    pub(super) fn share(&self, work: &dyn SharedWork, role: Role, call: impl FnOnce()) {
        let Some(slot) = self.slots.iter().find(|slot| slot.entrance.try_own()) else {
            return work.take_part(role);
        };
        let work_address: *const (dyn SharedWork + '_) = work;
        // SAFETY: only the lifetime changes. The address is used until the entrance is closed and empty, during this call.
        let work_address: *const dyn SharedWork = unsafe { transmute(work_address) };
        // SAFETY: this thread owns the entrance, which is closed and empty.
        unsafe { *slot.work.get() = Some(work_address) };
        // Closes the entrance also if this thread panics.
        let _open = OpenSlot::new(slot);
        call();
        work.take_part(role);
    }

    /// Whether a thread shares work. The answer may be outdated.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.slots.iter().any(|slot| slot.entrance.is_open())
    }

    /// Helps with work that another thread shares. Returns whether there was any.
    pub(super) fn help(&self, role: Role) -> bool {
        let Some(slot) = self.slots.iter().find(|slot| slot.entrance.enter()) else {
            return false;
        };
        // SAFETY: this thread has entered, so the owner does not write the cell until it leaves.
        let work = unsafe { *slot.work.get() };
        let work = work.expect("it is set before the entrance opens");
        // SAFETY: by the invariant, the work is borrowed until this thread leaves.
        unsafe { &*work }.take_part(role);
        slot.entrance.leave();
        true
    }
}
