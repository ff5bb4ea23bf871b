//! The place of one resource: a value on the heap whose address does not change until it is dropped, and is no other's.
//!
//! Invariant: `held` comes from `Box::leak` of a `Held<T>` with `T: Send + Sync`, of which `type_id` is the `TypeId`, and is
//! owned by this cell alone. A `Box` will not do: moving one asserts that nobody else points to its value, while here the
//! systems of a run hold pointers to it, handed out by [`ResourceCell::address`]. Those pointers may be used until
//! the cell is dropped, and only as `Resources` is borrowed: by shared reference to read, by exclusive reference
//! to write. Who writes when is the schedule's to prove.
#![expect(unsafe_code, reason = "the owner of the values that systems point to")]

use core::any::{Any, TypeId};
use core::ptr::NonNull;

use crate::panics::drop_part;

/// A resource of any type.
pub(crate) struct ResourceCell {
    held: NonNull<dyn Any + Send + Sync>,
    type_id: TypeId,
}

/// A value, and a byte, so that one without size has an address of its own as well: events tell resources apart by it.
#[repr(C)]
struct Held<T> {
    value: T,
    byte: u8,
}

// SAFETY: the cell owns its value, and the value is `Send`.
unsafe impl Send for ResourceCell {}

// SAFETY: a shared cell gives out shared references only, and the value is `Sync`. `address` is safe to call from
// anywhere, since a pointer by itself reads nothing.
unsafe impl Sync for ResourceCell {}

impl ResourceCell {
    pub(crate) fn new<T: Send + Sync + 'static>(value: T) -> Self {
        let held: Box<dyn Any + Send + Sync> = Box::new(Held { value, byte: 0 });
        Self {
            held: NonNull::from(Box::leak(held)),
            type_id: TypeId::of::<T>(),
        }
    }

    /// Where the value lies: first in what is held.
    pub(crate) fn address(&self) -> NonNull<()> {
        self.held.cast()
    }

    /// Where the value lies, if it is a `T`.
    pub(crate) fn pointer<T: 'static>(&self) -> Option<NonNull<T>> {
        (self.type_id == TypeId::of::<T>()).then(|| self.held.cast())
    }

    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        let pointer = self.pointer()?;
        // SAFETY: the value is a live `T`, and nobody writes to it while `self` is borrowed.
        Some(unsafe { pointer.as_ref() })
    }

    pub(crate) fn get_mut<T: 'static>(&mut self) -> Option<&mut T> {
        let mut pointer = self.pointer()?;
        // SAFETY: the value is a live `T`, and nobody else uses it while `self` is borrowed exclusively.
        Some(unsafe { pointer.as_mut() })
    }

    /// The value, if it is a `T`; else it is dropped.
    pub(crate) fn into_inner<T: 'static>(self) -> Option<T> {
        let held = self.pointer::<T>()?.cast::<Held<T>>();
        core::mem::forget(self);
        // SAFETY: the pointer came from a box of what holds a `T`, and the cell that owned it is forgotten.
        let held = unsafe { Box::from_raw(held.as_ptr()) };
        Some(held.value)
    }
}

impl Drop for ResourceCell {
    fn drop(&mut self) {
        // SAFETY: the pointer came from a box, and the cell that owns it ends here.
        drop_part(unsafe { Box::from_raw(self.held.as_ptr()) });
    }
}
