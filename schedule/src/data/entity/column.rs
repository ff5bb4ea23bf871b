//! The address of a column, and the values of single rows.
//!
//! Invariant: the address is from [`EntityTables::column`] for a table with rows. It is valid until a row of the store is added,
//! removed or moved. While a system that declares access to the component has an item of a row, nothing that conflicts with this
//! access uses the value of the row.
#![expect(unsafe_code, reason = "turns addresses of rows into references")]

use core::fmt;
use core::ptr::NonNull;

use super::{Component, EntityTables};

/// The address of the first value of a column.
#[expect(unnameable_types, reason = "only parameters of this crate keep it")]
pub struct Column<C>(NonNull<C>);

impl<C> Clone for Column<C> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Column<C> {}

// SAFETY: it is an address of values that are `Send`, and only functions that are unsafe to call turn it into references.
unsafe impl<C: Component> Send for Column<C> {}

// SAFETY: it is an address of values that are `Sync`, and only functions that are unsafe to call turn it into references.
unsafe impl<C: Component> Sync for Column<C> {}

impl<C: Component> Column<C> {
    /// Looks up the column of a table with rows.
    #[inline]
    pub(super) fn find<S: EntityTables>(table: S::Table<'_>) -> Option<Self> {
        S::column(table).map(Self)
    }

    /// Returns the value of a row, to read.
    ///
    /// # Safety
    ///
    /// The column was looked up in the store that is borrowed for `'q`, and no row was added, removed or moved since. It has
    /// this row. Nothing writes the value during `'q`.
    #[inline(always)]
    pub(super) unsafe fn get<'q>(self, row: usize) -> &'q C {
        // SAFETY: the column is an array of the rows of its table, and the caller guarantees that it has this one.
        let value = unsafe { self.0.add(row) };
        // SAFETY: the address is valid by the invariant, and the caller guarantees that nothing writes the value.
        unsafe { value.as_ref() }
    }

    /// Returns the value of a row, to write.
    ///
    /// # Safety
    ///
    /// As for [`get`](Self::get). Nothing else accesses the value during `'q`.
    #[inline(always)]
    pub(super) unsafe fn get_mut<'q>(self, row: usize) -> &'q mut C {
        // SAFETY: the column is an array of the rows of its table, and the caller guarantees that it has this one.
        let mut value = unsafe { self.0.add(row) };
        // SAFETY: the address is valid by the invariant, and the caller guarantees that nothing else accesses the value.
        unsafe { value.as_mut() }
    }
}

impl<C> fmt::Debug for Column<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
