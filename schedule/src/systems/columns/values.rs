//! The values of a column, to write, as an address.
//!
//! Invariant: while [`ColumnValues`] exist, they are the only access to their values. The values stay at their address for the lifetime.
//!
//! A parameter of a function that is a reference promises that no other one accesses its values until the function returns. A system that
//! swaps its columns breaks this promise, because it then gets the values of each column by the other one. An address promises nothing.
#![expect(unsafe_code, reason = "turns the address of a column into references")]

use core::marker::PhantomData;
use core::ptr::NonNull;

/// The values of a column. Used like a `&'r mut [C]`.
pub(super) struct ColumnValues<'r, C> {
    values: NonNull<[C]>,
    marker: PhantomData<&'r mut [C]>,
}

// SAFETY: it is used like an exclusive reference, which can be sent if the values can.
unsafe impl<C: Send> Send for ColumnValues<'_, C> {}

// SAFETY: it is used like an exclusive reference. A shared one gives only shared references to the values.
unsafe impl<C: Sync> Sync for ColumnValues<'_, C> {}

impl<'r, C> ColumnValues<'r, C> {
    pub(super) fn new(values: &'r mut [C]) -> Self {
        Self {
            values: NonNull::from(values),
            marker: PhantomData,
        }
    }

    #[inline]
    pub(super) fn get(&self) -> &[C] {
        // SAFETY: by the invariant, and nothing writes the values while this is borrowed as shared.
        unsafe { self.values.as_ref() }
    }

    #[inline]
    pub(super) fn get_mut(&mut self) -> &mut [C] {
        // SAFETY: by the invariant, and nothing else uses the values while this is borrowed exclusively.
        unsafe { self.values.as_mut() }
    }

    #[inline]
    pub(super) fn into_mut(mut self) -> &'r mut [C] {
        // SAFETY: by the invariant, and nothing else uses the values afterwards, because this is consumed.
        unsafe { self.values.as_mut() }
    }
}
