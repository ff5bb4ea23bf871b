//! The storage of one component.
//!
//! Invariant: while a column is shared, its values are accessed only through references from [`OwnedColumn::read`] and
//! [`OwnedColumn::write`], and through addresses from [`OwnedColumn::address`]. Both are used only by systems that declare the access to
//! the component, or with an exclusive borrow of the store. A copy of the store reads them only while no system can write them: see
//! `clone.rs`. So no two accesses of one value conflict. Rows are added, removed and
//! moved only through an exclusive reference to the column. [`OwnedColumn::swap`] exchanges the values of two columns that are
//! shared, for a system that declares that it writes both.
#![expect(
    unsafe_code,
    reason = "systems that share a store write different columns of it"
)]

use core::any::Any;
use core::cell::UnsafeCell;
use core::fmt;
use core::mem::{ManuallyDrop, needs_drop, take};
use core::ptr::{NonNull, null_mut};
use core::slice;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::buffer::Buffer;
use super::sort::RowOrder;
use crate::base::panics::FirstPanic;
use crate::data::entity::{ChangeClock, ColumnMarks, RowMarks, WatchedMarks};

/// The values of the component `C`, one for each row.
pub struct OwnedColumn<C> {
    /// `values[row]`: the component of the entity in the row. Of a shared column, only `swap` uses the vector itself.
    values: UnsafeCell<Vec<UnsafeCell<C>>>,
    /// The length of `values`.
    n_rows: usize,
    /// The address of the value in row 0. A shared column can be asked for it while `swap` changes it.
    address: AtomicPtr<C>,
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
        self.values.get_mut().push(UnsafeCell::new(value));
        self.n_rows += 1;
        self.find_address();
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
                rows: ColumnMarks::new(self.n_rows),
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

    /// Replaces all values, and forgets the marks. Keeps the memory.
    ///
    /// If a value panics while it is dropped or made, the column has no rows.
    pub(super) fn set_values(&mut self, new: impl Iterator<Item = C>) {
        self.marks = OnceLock::new();
        self.n_rows = 0;
        let values = self.values.get_mut();
        if needs_drop::<C>() {
            let mut panics = FirstPanic::default();
            panics.drop_each(values.drain(..));
            panics.resume();
        }
        values.clear();
        values.extend(new.map(UnsafeCell::new));
        self.n_rows = values.len();
        self.find_address();
    }

    /// Removes a row, and moves the value of the last row there.
    #[inline]
    pub fn swap_remove(&mut self, row: usize) -> C {
        if let Some(marks) = self.marks.get_mut() {
            marks.rows.swap_remove(row);
        }
        let removed = self.values.get_mut().swap_remove(row).into_inner();
        self.n_rows -= 1;
        removed
    }

    /// Notes the address of the values, after the vector may have moved them.
    #[inline]
    fn find_address(&mut self) {
        *self.address.get_mut() = self.values.get_mut().as_mut_ptr().cast();
    }

    /// Returns the address of the value in row 0. Not specified for a column without rows.
    #[inline]
    pub(super) fn address(&self) -> NonNull<C> {
        // Relaxed: systems that use the address conflict with those that swap the column, so their executor orders them.
        NonNull::new(self.address.load(Ordering::Relaxed)).unwrap_or(NonNull::dangling())
    }

    /// Exchanges the values with those of a buffer. Marks stay. O(1).
    ///
    /// Addresses of both columns are those of the other one afterwards.
    ///
    /// # Safety
    ///
    /// Nothing else accesses a value of either column during the call, and no reference from before is used afterwards.
    ///
    /// # Panics
    ///
    /// Panics if the columns have different numbers of rows.
    pub(super) unsafe fn swap(&self, buffer: &OwnedColumn<Buffer<C>>) {
        assert_eq!(
            self.n_rows, buffer.n_rows,
            "both columns have a value for each row"
        );
        // SAFETY: the caller has exclusive access to the values of this column, so nothing else uses the vector.
        let values = unsafe { &mut *self.values.get() };
        // SAFETY: the caller has exclusive access to the values of the buffer, so nothing else uses the vector. It is a different
        // one, because its type is.
        let others = unsafe { &mut *buffer.values.get() };
        let (mine, theirs) = (take(values), take(others));
        // SAFETY: `Buffer<C>` is transparent, and so is a cell, so the values have the same layout.
        *others = unsafe { with_type(mine) };
        // SAFETY: as before.
        *values = unsafe { with_type(theirs) };
        // Relaxed: as in `address`.
        self.address
            .store(values.as_mut_ptr().cast(), Ordering::Relaxed);
        buffer
            .address
            .store(others.as_mut_ptr().cast(), Ordering::Relaxed);
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
        unsafe { slice::from_raw_parts(self.address().as_ptr(), self.n_rows) }
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
        unsafe { slice::from_raw_parts_mut(self.address().as_ptr(), self.n_rows) }
    }
}

impl<C> Default for OwnedColumn<C> {
    fn default() -> Self {
        Self {
            values: UnsafeCell::new(Vec::new()),
            n_rows: 0,
            address: AtomicPtr::new(null_mut()),
            marks: OnceLock::new(),
        }
    }
}

/// If the drop of a value panics, the other values are still dropped.
impl<C> Drop for OwnedColumn<C> {
    fn drop(&mut self) {
        if needs_drop::<C>() {
            let mut panics = FirstPanic::default();
            panics.drop_each(self.values.get_mut().drain(..));
            panics.resume_from_drop();
        }
    }
}

impl<C> fmt::Debug for OwnedColumn<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnedColumn({} rows)", self.n_rows)
    }
}

/// Returns a vector as one of another type.
///
/// # Safety
///
/// Values of `A` and `B` have the same layout, and each valid value of one is a valid value of the other.
unsafe fn with_type<A, B>(values: Vec<A>) -> Vec<B> {
    let mut values = ManuallyDrop::new(values);
    let address = values.as_mut_ptr().cast();
    // SAFETY: the parts are those of a vector that is not used again, and the caller guarantees that the layouts are the same.
    unsafe { Vec::from_raw_parts(address, values.len(), values.capacity()) }
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

    /// Moves all rows, with their marks.
    ///
    /// # Panics
    ///
    /// Panics if the order is one of another number of rows.
    fn reorder(&mut self, order: &RowOrder);
}

impl<C: 'static> AnyColumn for OwnedColumn<C> {
    #[inline]
    fn n_rows(&self) -> usize {
        self.n_rows
    }

    #[inline]
    fn reserve(&mut self, n_more: usize) {
        if let Some(marks) = self.marks.get_mut() {
            marks.rows.reserve(n_more);
        }
        self.values.get_mut().reserve(n_more);
        self.find_address();
    }

    fn remove(&mut self, row: usize, panics: &mut FirstPanic) {
        panics.drop(self.swap_remove(row));
    }

    fn clear(&mut self, panics: &mut FirstPanic) {
        if let Some(marks) = self.marks.get_mut() {
            marks.rows.clear();
        }
        self.n_rows = 0;
        let values = self.values.get_mut();
        if needs_drop::<C>() {
            panics.drop_each(values.drain(..))
        } else {
            values.clear()
        }
    }

    fn reorder(&mut self, order: &RowOrder) {
        let by_row = order.by_row();
        assert_eq!(by_row.len(), self.n_rows, "the order has each row");
        let values = self.values.get_mut();
        let mut reordered = Vec::with_capacity(values.capacity());
        // SAFETY: without values, a vector is always valid. If a panic follows, they are leaked.
        unsafe { values.set_len(0) };
        let first = values.as_ptr();
        reordered.extend(by_row.iter().map(|row| {
            // SAFETY: an order has only rows of the column, by its invariant and its length.
            let value = unsafe { first.add(*row as usize) };
            // SAFETY: an order has each row once, so the value is not moved twice. The vector does not own it any more.
            unsafe { value.read() }
        }));
        *values = reordered;
        self.find_address();
        if let Some(marks) = self.marks.get_mut() {
            marks.rows.reorder(by_row);
        }
    }
}
