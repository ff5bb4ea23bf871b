//! Components of the entity as parameters.
//!
//! Invariant: that of [`column`](crate::entity::column). The terms of each parameter declare the component of its item, and that
//! they write it if the item is an exclusive reference.
#![expect(unsafe_code, reason = "gets items from the addresses of columns")]

use core::ops::Range;

use super::{Each, EachFetch, EachParam, without_records, without_source};
use crate::data::entity::column::Column;
use crate::data::entity::marked::WrittenColumn;
use crate::data::entity::{Component, ComponentType, EntityTables};
use crate::data::param::{Mut, Part};

/// Implements the marks of [`EachFetch`] for a parameter that writes a component.
macro_rules! marks_required {
    ($are_written:literal) => {
        #[inline]
        fn is_marked(column: Self::Columns) -> bool {
            column.marks.is_some()
        }

        #[inline]
        unsafe fn begin_writes(column: &mut Self::Columns) {
            // SAFETY: the conditions are the same.
            unsafe { column.begin_write() }
        }

        #[inline]
        unsafe fn mark_rows(column: Self::Columns, rows: Range<usize>) {
            // SAFETY: the conditions are the same.
            unsafe { column.mark_rows(rows, $are_written) }
        }
    };
}

/// As [`marks_required`], for an optional component.
macro_rules! marks_optional {
    ($are_written:literal) => {
        #[inline]
        fn is_marked(column: Self::Columns) -> bool {
            column.is_some_and(|column| column.marks.is_some())
        }

        #[inline]
        unsafe fn begin_writes(column: &mut Self::Columns) {
            if let Some(column) = column {
                // SAFETY: the conditions are the same.
                unsafe { column.begin_write() }
            }
        }

        #[inline]
        unsafe fn mark_rows(column: Self::Columns, rows: Range<usize>) {
            if let Some(column) = column {
                // SAFETY: the conditions are the same.
                unsafe { column.mark_rows(rows, $are_written) }
            }
        }
    };
}

impl<S, C> EachParam<S> for &C
where
    S: EntityTables,
    C: ComponentType,
    Each<&'static C::Itself>: EachFetch<S>,
{
    type State = Each<&'static C::Itself>;
    const EACH: Self::State = Each::NEW;
}

// SAFETY: the item is the component in the terms.
unsafe impl<S: EntityTables, C: Component> EachFetch<S> for Each<&'static C> {
    type Terms = &'static C;
    type Columns = Column<C>;
    type Item<'q> = &'q C;

    without_source!();
    without_records!();

    fn matches(table: S::Table<'_>) -> bool {
        S::has::<C>(table)
    }

    #[inline]
    fn columns(table: S::Table<'_>) -> Column<C> {
        Column::find::<S>(table).expect("the table matches")
    }

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        column: Column<C>,
        (): (),
        (): &'q mut (),
        row: usize,
    ) -> &'q C {
        // SAFETY: the column has this row, and its terms declare that it is read, so the caller guarantees that nothing writes it.
        unsafe { column.get(row) }
    }
}

impl<S, C> EachParam<S> for &mut C
where
    S: EntityTables,
    C: ComponentType,
    Each<&'static mut C::Itself>: EachFetch<S>,
{
    type State = Each<&'static mut C::Itself>;
    const EACH: Self::State = Each::NEW;
}

// SAFETY: the item is the component in the terms, which write it.
unsafe impl<S: EntityTables, C: Component> EachFetch<S> for Each<&'static mut C> {
    type Terms = &'static mut C;
    type Columns = WrittenColumn<C>;
    type Item<'q> = &'q mut C;

    without_source!();
    without_records!();
    marks_required!(true);

    fn matches(table: S::Table<'_>) -> bool {
        S::has::<C>(table)
    }

    #[inline]
    fn columns(table: S::Table<'_>) -> WrittenColumn<C> {
        WrittenColumn::find::<S>(table).expect("the table matches")
    }

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        column: WrittenColumn<C>,
        (): (),
        (): &'q mut (),
        row: usize,
    ) -> &'q mut C {
        // SAFETY: the column has this row, and its terms declare that it is written, so the caller guarantees that nothing else
        // accesses it.
        unsafe { column.values.get_mut(row) }
    }
}

impl<S, C> EachParam<S> for Option<&C>
where
    S: EntityTables,
    C: ComponentType,
    Each<Option<&'static C::Itself>>: EachFetch<S>,
{
    type State = Each<Option<&'static C::Itself>>;
    const EACH: Self::State = Each::NEW;
}

// SAFETY: as for `&C`.
unsafe impl<S: EntityTables, C: Component> EachFetch<S> for Each<Option<&'static C>> {
    type Terms = Option<&'static C>;
    type Columns = Option<Column<C>>;
    type Item<'q> = Option<&'q C>;

    without_source!();
    without_records!();

    fn matches(_: S::Table<'_>) -> bool {
        true
    }

    #[inline]
    fn columns(table: S::Table<'_>) -> Option<Column<C>> {
        Column::find::<S>(table)
    }

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        column: Option<Column<C>>,
        (): (),
        (): &'q mut (),
        row: usize,
    ) -> Option<&'q C> {
        // SAFETY: a column has this row, and its terms declare that it is read, so the caller guarantees that nothing writes it.
        column.map(|column| unsafe { column.get(row) })
    }
}

impl<S, C> EachParam<S> for Option<&mut C>
where
    S: EntityTables,
    C: ComponentType,
    Each<Option<&'static mut C::Itself>>: EachFetch<S>,
{
    type State = Each<Option<&'static mut C::Itself>>;
    const EACH: Self::State = Each::NEW;
}

// SAFETY: as for `&mut C`.
unsafe impl<S: EntityTables, C: Component> EachFetch<S> for Each<Option<&'static mut C>> {
    type Terms = Option<&'static mut C>;
    type Columns = Option<WrittenColumn<C>>;
    type Item<'q> = Option<&'q mut C>;

    without_source!();
    without_records!();
    marks_optional!(true);

    fn matches(_: S::Table<'_>) -> bool {
        true
    }

    #[inline]
    fn columns(table: S::Table<'_>) -> Option<WrittenColumn<C>> {
        WrittenColumn::find::<S>(table)
    }

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        column: Option<WrittenColumn<C>>,
        (): (),
        (): &'q mut (),
        row: usize,
    ) -> Option<&'q mut C> {
        // SAFETY: a column has this row, and its terms declare that it is written, so the caller guarantees that nothing else
        // accesses it.
        column.map(|column| unsafe { column.values.get_mut(row) })
    }
}

impl<S, C> EachParam<S> for Mut<'_, C>
where
    S: EntityTables,
    C: ComponentType,
    Each<Mut<'static, C::Itself>>: EachFetch<S>,
{
    type State = Each<Mut<'static, C::Itself>>;
    const EACH: Self::State = Each::NEW;
}

// SAFETY: as for `&mut C`.
unsafe impl<S: EntityTables, C: Component> EachFetch<S> for Each<Mut<'static, C>> {
    type Terms = &'static mut C;
    type Columns = WrittenColumn<C>;
    type Item<'q> = Mut<'q, C>;

    without_source!();
    without_records!();
    marks_required!(false);

    fn matches(table: S::Table<'_>) -> bool {
        S::has::<C>(table)
    }

    #[inline]
    fn columns(table: S::Table<'_>) -> WrittenColumn<C> {
        WrittenColumn::find::<S>(table).expect("the table matches")
    }

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        column: WrittenColumn<C>,
        (): (),
        (): &'q mut (),
        row: usize,
    ) -> Mut<'q, C> {
        // SAFETY: as for `&mut C`.
        unsafe { column.get_mut(row) }
    }
}

impl<S, C> EachParam<S> for Option<Mut<'_, C>>
where
    S: EntityTables,
    C: ComponentType,
    Each<Option<Mut<'static, C::Itself>>>: EachFetch<S>,
{
    type State = Each<Option<Mut<'static, C::Itself>>>;
    const EACH: Self::State = Each::NEW;
}

// SAFETY: as for `&mut C`.
unsafe impl<S: EntityTables, C: Component> EachFetch<S> for Each<Option<Mut<'static, C>>> {
    type Terms = Option<&'static mut C>;
    type Columns = Option<WrittenColumn<C>>;
    type Item<'q> = Option<Mut<'q, C>>;

    without_source!();
    without_records!();
    marks_optional!(false);

    fn matches(_: S::Table<'_>) -> bool {
        true
    }

    #[inline]
    fn columns(table: S::Table<'_>) -> Option<WrittenColumn<C>> {
        WrittenColumn::find::<S>(table)
    }

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        column: Option<WrittenColumn<C>>,
        (): (),
        (): &'q mut (),
        row: usize,
    ) -> Option<Mut<'q, C>> {
        // SAFETY: as for `&mut C`.
        column.map(|column| unsafe { column.get_mut(row) })
    }
}
