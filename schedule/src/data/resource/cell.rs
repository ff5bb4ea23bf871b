//! The owner of one resource. The value is on the heap, at a unique address that stays constant until the value is
//! dropped.
//!
//! Invariant:
//!
//! 1. `held` comes from `Box::leak` of a `HeapValue<T>` with `T: Send + Sync`. `type_id` is the `TypeId` of `T`. This cell is
//!    the only owner.
//!    `store`, if there is one, is that of `T`.
//! 2. Pointers from [`ResourceCell::address`] are dereferenced only while the cell is alive. The borrow of `Resources`
//!    limits their use: a shared borrow to reads, an exclusive borrow to reads and writes. During a run, which borrows
//!    `Resources` exclusively, the schedule orders the systems that conflict.
//!
//! A `Box` is not possible here. Moving a `Box` asserts that no other pointer to its value is in use, but the systems of
//! a run hold such pointers.
#![expect(unsafe_code, reason = "the owner of the values that systems point to")]

use core::any::{Any, TypeId};
use core::ptr::NonNull;

use super::Resource;
use super::loans::StoreType;
use crate::base::panics::drop_part;

/// A resource of any type.
pub(crate) struct ResourceCell {
    held: NonNull<dyn Any + Send + Sync>,
    type_id: TypeId,
    /// `None` if it does not store entities, or has a name instead of a type.
    store: Option<&'static StoreType>,
}

/// A value and a byte. The byte gives a zero-sized value a unique address, by which events distinguish resources.
#[repr(C)]
struct HeapValue<T> {
    value: T,
    byte: u8,
}

// SAFETY: by the invariant, the cell is the only owner of its value, and the value is `Send`.
unsafe impl Send for ResourceCell {}

// SAFETY: a shared cell gives out only shared references, and by the invariant the value is `Sync`. `address` and
// `pointer` return pointers and read nothing of the value.
unsafe impl Sync for ResourceCell {}

impl ResourceCell {
    pub(crate) fn new<T: Send + Sync + 'static>(value: T) -> Self {
        let held: Box<dyn Any + Send + Sync> = Box::new(HeapValue { value, byte: 0 });
        Self {
            held: NonNull::from(Box::leak(held)),
            type_id: TypeId::of::<T>(),
            store: None,
        }
    }

    /// The owner of a resource that is found by its type.
    pub(crate) fn of<T: Resource>(value: T) -> Self {
        let mut cell = Self::new(value);
        cell.store = StoreType::of::<T>();
        cell
    }

    /// The store that the value is.
    pub(super) fn store(&self) -> Option<&'static StoreType> {
        self.store
    }

    /// The type of the value.
    #[inline]
    pub(crate) fn type_id(&self) -> TypeId {
        self.type_id
    }

    /// Returns the address of the value, which is the first field of `HeapValue`.
    pub(crate) fn address(&self) -> NonNull<()> {
        self.held.cast()
    }

    /// Returns the address of the value, if its type is `T`.
    pub(crate) fn pointer<T: 'static>(&self) -> Option<NonNull<T>> {
        (self.type_id == TypeId::of::<T>()).then(|| self.held.cast())
    }

    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        let pointer = self.pointer()?;
        // SAFETY: `pointer` has checked the type, and the value lives as long as the cell. By the invariant, nothing
        // writes it while the cell is borrowed as shared.
        Some(unsafe { pointer.as_ref() })
    }

    pub(crate) fn get_mut<T: 'static>(&mut self) -> Option<&mut T> {
        let mut pointer = self.pointer()?;
        // SAFETY: `pointer` has checked the type, and the value lives as long as the cell. By the invariant, nothing
        // else accesses it while the cell is borrowed exclusively.
        Some(unsafe { pointer.as_mut() })
    }

    /// Returns the value if its type is `T`. Otherwise drops it and returns `None`.
    pub(crate) fn into_inner<T: 'static>(self) -> Option<T> {
        let held = self.pointer::<T>()?.cast::<HeapValue<T>>();
        core::mem::forget(self);
        // SAFETY: by the invariant the pointer is from a box of a `HeapValue<T>`, since `pointer` has checked the type. The
        // cell that owned it is forgotten, so it is freed once.
        let held = unsafe { Box::from_raw(held.as_ptr()) };
        Some(held.value)
    }
}

impl Drop for ResourceCell {
    fn drop(&mut self) {
        // SAFETY: by the invariant the pointer is from a box that this cell owns. The cell ends here, so it is freed
        // once.
        drop_part(unsafe { Box::from_raw(self.held.as_ptr()) });
    }
}
