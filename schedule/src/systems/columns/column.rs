//! The storage of one component.
//!
//! Invariant: while a column is shared, its values are accessed only through references from [`OwnedColumn::read`] and
//! [`OwnedColumn::write`], and through addresses from [`OwnedColumn::address`]. Both are used only by systems that declare the access to
//! the component, or with an exclusive borrow of the store. So no two accesses of one value conflict. Rows are added and removed
//! only through an exclusive reference to the column.
#![expect(
    unsafe_code,
    reason = "systems that share a store write different columns of it"
)]

use core::any::Any;
use core::cell::UnsafeCell;
use core::fmt;
use core::mem::needs_drop;
use core::ptr::NonNull;
use core::slice;
use std::sync::OnceLock;

use crate::base::panics::FirstPanic;
use crate::data::entity::{ChangeClock, ColumnMarks, RowMarks, WatchedMarks};

/// The values of the component `C`, one for each row.
pub struct OwnedColumn<C> {
    values: Vec<UnsafeCell<C>>,
    /// The marks of the rows. `None` until a system watches the component.
    marks: OnceLock<Box<OwnedMarks>>,
}

/// The marks of a column, with a clock of its own.
#[derive(Debug)]
struct OwnedMarks {
    clock: ChangeClock,
    /// Has the rows of the column.
    rows: ColumnMarks,
}

impl OwnedMarks {
    /// Marks a new row.
    #[cold]
    fn push(&mut self) {
        let now = self.clock.advance();
        self.rows.push(RowMarks {
            changed: now,
            added: now,
        });
    }
}

// SAFETY: by the invariant, threads that share a column access its values without conflicts. A thread that writes may also
// replace values, and so drop those of another thread.
unsafe impl<C: Send + Sync> Sync for OwnedColumn<C> {}

impl<C> OwnedColumn<C> {
    /// Adds a value in a new row.
    #[inline]
    pub fn push(&mut self, value: C) {
        self.values.push(UnsafeCell::new(value));
        if let Some(marks) = self.marks.get_mut() {
            marks.push();
        }
    }

    /// Begins to keep marks, unless it does so already. Returns the clock, and whether it begins.
    pub(super) fn watch(&self) -> (&ChangeClock, bool) {
        let mut begins = false;
        let marks = self.marks.get_or_init(|| {
            begins = true;
            Box::new(OwnedMarks {
                clock: ChangeClock::new(),
                rows: ColumnMarks::new(self.values.len()),
            })
        });
        (&marks.clock, begins)
    }

    /// Returns the marks of the rows, if the component is watched.
    #[inline]
    pub(super) fn marks(&self) -> Option<WatchedMarks<'_>> {
        let marks = self.marks.get()?;
        Some(WatchedMarks {
            clock: &marks.clock,
            column: &marks.rows,
        })
    }

    /// Removes a row, and moves the value of the last row there.
    #[inline]
    pub fn swap_remove(&mut self, row: usize) -> C {
        if let Some(marks) = self.marks.get_mut() {
            marks.rows.swap_remove(row);
        }
        self.values.swap_remove(row).into_inner()
    }

    /// Returns the address of the value in row 0.
    #[inline]
    pub(super) fn address(&self) -> NonNull<C> {
        NonNull::from(self.values.as_slice()).cast()
    }

    /// Returns the values, to read.
    ///
    /// # Safety
    ///
    /// Nothing writes the values while the result is in use.
    #[inline]
    pub(super) unsafe fn read(&self) -> &[C] {
        // SAFETY: the address is that of the values, which have the layout of `C`. The column is shared for as long as the result,
        // so they do not move. The caller guarantees that nothing writes them.
        unsafe { slice::from_raw_parts(self.address().as_ptr(), self.values.len()) }
    }

    /// Returns the values, to write.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the values while the result is in use.
    #[expect(
        clippy::mut_from_ref,
        reason = "the values are in cells, and the caller guarantees exclusive access"
    )]
    #[inline]
    pub(super) unsafe fn write(&self) -> &mut [C] {
        // SAFETY: the address is that of the values, which are in cells and have the layout of `C`. The column is shared for as
        // long as the result, so they do not move. The caller guarantees that nothing else accesses them.
        unsafe { slice::from_raw_parts_mut(self.address().as_ptr(), self.values.len()) }
    }
}

impl<C> Default for OwnedColumn<C> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            marks: OnceLock::new(),
        }
    }
}

/// If the drop of a value panics, the other values are still dropped.
impl<C> Drop for OwnedColumn<C> {
    fn drop(&mut self) {
        if needs_drop::<C>() {
            let mut panics = FirstPanic::default();
            panics.drop_each(self.values.drain(..));
            panics.resume_from_drop();
        }
    }
}

impl<C> fmt::Debug for OwnedColumn<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnedColumn({} rows)", self.values.len())
    }
}

/// A [`OwnedColumn`] of any component.
pub trait AnyColumn: Any {
    /// Returns the number of rows.
    fn n_rows(&self) -> usize;

    /// Reserves memory for more rows.
    ///
    /// # Panics
    ///
    /// Panics if there are too many rows for the address space.
    fn reserve(&mut self, n_more: usize);

    /// Removes a row as [`OwnedColumn::swap_remove`] does, and drops its value.
    fn remove(&mut self, row: usize, panics: &mut FirstPanic);

    /// Removes all rows, and drops their values. Keeps the memory.
    fn clear(&mut self, panics: &mut FirstPanic);
}

impl<C: 'static> AnyColumn for OwnedColumn<C> {
    #[inline]
    fn n_rows(&self) -> usize {
        self.values.len()
    }

    #[inline]
    fn reserve(&mut self, n_more: usize) {
        if let Some(marks) = self.marks.get_mut() {
            marks.rows.reserve(n_more);
        }
        self.values.reserve(n_more);
    }

    fn remove(&mut self, row: usize, panics: &mut FirstPanic) {
        panics.drop(self.swap_remove(row));
    }

    fn clear(&mut self, panics: &mut FirstPanic) {
        if let Some(marks) = self.marks.get_mut() {
            marks.rows.clear();
        }
        if needs_drop::<C>() {
            panics.drop_each(self.values.drain(..))
        } else {
            self.values.clear()
        }
    }
}
