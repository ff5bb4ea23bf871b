//! The addresses of marks, which systems keep from run to run.
//!
//! Invariant: the address is from [`EntityTables::marks`] of a store. The store keeps the marks at the address until a row is added,
//! removed or moved, or a component is watched. It counts all of these in its version.
#![expect(unsafe_code, reason = "turns addresses of marks into references")]

use core::fmt;
use core::ops::Range;
use core::ptr::NonNull;
use core::sync::atomic::AtomicU64;

use super::column::Column;
use super::marks::{ChangeClock, ColumnMarks, WatchedMarks};
use super::{Component, EntityTables};
use crate::data::param::Mut;

/// The address of the marks of a column.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct MarksAddress {
    clock: NonNull<ChangeClock>,
    column: NonNull<ColumnMarks>,
    /// The mark of the first row.
    first: NonNull<AtomicU64>,
    /// The time of the current write.
    now: u64,
}

// SAFETY: it is an address of values that are `Send`, and only functions that are unsafe to call turn it into references.
unsafe impl Send for MarksAddress {}

// SAFETY: it is an address of values that are `Sync`, and only functions that are unsafe to call turn it into references.
unsafe impl Sync for MarksAddress {}

impl MarksAddress {
    /// Returns the address of the marks of a component, if the table has it and it is watched.
    pub fn find<S: EntityTables, C: Component>(table: S::Table<'_>) -> Option<Self> {
        S::marks::<C>(table).map(Self::new)
    }

    /// Returns the address of marks in a store.
    pub fn new(WatchedMarks { clock, column }: WatchedMarks<'_>) -> Self {
        Self {
            clock: NonNull::from(clock),
            column: NonNull::from(column),
            first: NonNull::from(column.changed()).cast(),
            now: clock.now(),
        }
    }

    /// Starts a write.
    ///
    /// # Safety
    ///
    /// As for [`get`](Self::get).
    #[inline]
    pub unsafe fn begin_write(&mut self) {
        // SAFETY: the caller guarantees the same.
        self.now = unsafe { self.get() }.clock.advance();
    }

    /// Marks rows that are written, or of which single ones may be.
    ///
    /// # Safety
    ///
    /// As for [`get`](Self::get).
    #[inline]
    pub unsafe fn mark_rows(self, rows: Range<usize>, are_written: bool) {
        // SAFETY: the caller guarantees the same.
        let marks = unsafe { self.get() }.column;
        if are_written {
            marks.mark_rows(rows, self.now);
        } else {
            marks.expect_marks(rows, self.now);
        }
    }

    /// Returns the marks.
    ///
    /// # Safety
    ///
    /// The marks were looked up in the store that is borrowed for `'q`, and the version of the store has not changed since.
    #[inline(always)]
    pub unsafe fn get<'q>(self) -> WatchedMarks<'q> {
        WatchedMarks {
            // SAFETY: by the invariant, the clock is at this address for as long as the store is borrowed.
            clock: unsafe { self.clock.as_ref() },
            // SAFETY: as for the clock.
            column: unsafe { self.column.as_ref() },
        }
    }

    /// Returns the mark of a row, and the time of the current write.
    ///
    /// # Safety
    ///
    /// As for [`get`](Self::get). The marks have this row, and nothing else accesses its mark during `'q`.
    #[inline(always)]
    pub unsafe fn row_mut<'q>(self, row: usize) -> (&'q mut u64, u64) {
        // SAFETY: the marks are an array, and the caller guarantees that it has this row.
        let mark = unsafe { self.first.add(row) };
        // An atomic number has the layout of a number.
        let mut mark = mark.cast::<u64>();
        // SAFETY: by the invariant, the marks stay at their addresses. The caller guarantees that nothing else accesses this one.
        (unsafe { mark.as_mut() }, self.now)
    }
}

impl fmt::Debug for MarksAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.column.fmt(f)
    }
}

/// The address of a column that a system writes, and of its marks if the component is watched.
#[expect(unnameable_types, reason = "only parameters of this crate keep it")]
pub struct WrittenColumn<C> {
    pub(super) values: Column<C>,
    pub(super) marks: Option<MarksAddress>,
}

impl<C> Clone for WrittenColumn<C> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for WrittenColumn<C> {}

impl<C: Component> WrittenColumn<C> {
    /// Looks up the column of a table with rows.
    #[inline]
    pub(super) fn find<S: EntityTables>(table: S::Table<'_>) -> Option<Self> {
        Some(Self {
            values: Column::find::<S>(table)?,
            marks: MarksAddress::find::<S, C>(table),
        })
    }

    /// Starts a write.
    ///
    /// # Safety
    ///
    /// As for [`MarksAddress::get`].
    #[inline]
    pub(super) unsafe fn begin_write(&mut self) {
        if let Some(marks) = &mut self.marks {
            // SAFETY: the caller guarantees the same.
            unsafe { marks.begin_write() };
        }
    }

    /// Marks rows that are written, or of which single ones may be.
    ///
    /// # Safety
    ///
    /// As for [`MarksAddress::get`].
    #[inline]
    pub(super) unsafe fn mark_rows(self, rows: Range<usize>, are_written: bool) {
        if let Some(marks) = self.marks {
            // SAFETY: the caller guarantees the same.
            unsafe { marks.mark_rows(rows, are_written) };
        }
    }
}

impl<C: Component> WrittenColumn<C> {
    /// Returns the value of a row, to write. A write is marked.
    ///
    /// # Safety
    ///
    /// As for [`MarksAddress::get`]. The column has this row, and nothing else accesses the value during `'q`.
    #[inline(always)]
    pub(super) unsafe fn get_mut<'q>(self, row: usize) -> Mut<'q, C> {
        // SAFETY: the caller guarantees the same.
        let value = unsafe { self.values.get_mut(row) };
        match self.marks {
            None => Mut::new(value),
            Some(marks) => {
                // SAFETY: the caller guarantees the same. Only the holder of the value has its mark.
                let (mark, now) = unsafe { marks.row_mut(row) };
                Mut::marked(value, mark, now)
            }
        }
    }
}

impl<C> fmt::Debug for WrittenColumn<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}
