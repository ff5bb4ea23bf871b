//! The types of filters.
//!
//! Invariant: a filter that is combined from others passes on the conditions of its methods.
#![expect(unsafe_code, reason = "declares and passes on the conditions of marks")]

mod change;

use core::marker::PhantomData;

pub use self::change::{Added, Changed};
use super::{Component, EntityStore, EntityTables, component};
use crate::data::access::{Access, FilterTerm};

/// A filter of the entities in `S`: [`With`], [`Without`], [`Changed`], [`Added`], [`Or`], or a tuple of filters that must all match.
/// `()` matches all entities. No other type can be a filter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a filter of a query",
    label = "not a filter",
    note = "write `With<C>`, `Without<C>`, `Changed<C>`, `Added<C>`, `Or<(…)>` or a tuple of these"
)]
pub trait EntityFilter<S: EntityStore>: sealed::SealedFilter + 'static {
    /// All entities that match have these components.
    #[doc(hidden)]
    const TERM: FilterTerm;

    /// The components whose marks the filter reads, of all entities.
    #[doc(hidden)]
    const READS: Access;

    /// Whether it can match some rows of a table, but not others.
    #[doc(hidden)]
    const IS_PER_ROW: bool;

    /// What a system remembers of its last look.
    #[doc(hidden)]
    type Memory: Clone + Default + Send + Sync + 'static;

    /// Finds rows of a table that match.
    #[doc(hidden)]
    type Rows: Copy + Send + Sync + 'static;

    /// Whether the entities of a table can match.
    #[doc(hidden)]
    fn matches(table: S::Table<'_>) -> bool
    where
        S: EntityTables;

    /// Looks at the clocks of the components. The store then keeps their marks.
    #[doc(hidden)]
    fn look(store: &S, memory: &mut Self::Memory)
    where
        S: EntityTables;

    /// Looks up the marks of a table.
    #[doc(hidden)]
    fn rows(table: S::Table<'_>, memory: &Self::Memory) -> Self::Rows
    where
        S: EntityTables;

    /// Whether rows of a block can match.
    ///
    /// # Safety
    ///
    /// `rows` were looked up in a store that is borrowed, whose version has not changed since. The table has this block.
    #[doc(hidden)]
    unsafe fn can_match(rows: Self::Rows, block: usize) -> bool;

    /// Whether all rows of a block certainly match.
    ///
    /// # Safety
    ///
    /// As for [`can_match`](Self::can_match).
    #[doc(hidden)]
    unsafe fn matches_all(rows: Self::Rows, block: usize) -> bool;

    /// Whether a row matches.
    ///
    /// # Safety
    ///
    /// As for [`can_match`](Self::can_match). The table has this row.
    #[doc(hidden)]
    unsafe fn matches_row(rows: Self::Rows, row: usize) -> bool;
}

/// Matches entities that have the component `C`.
#[derive(Debug)]
pub struct With<C>(PhantomData<fn() -> C>);

/// Matches entities that do not have the component `C`.
#[derive(Debug)]
pub struct Without<C>(PhantomData<fn() -> C>);

/// Matches entities that match at least one filter of a tuple: `Or<(With<Player>, With<Enemy>)>`.
///
/// The verifier expands a filter to at most 16 alternatives. An `Or` that leads to more proves nothing.
#[derive(Debug)]
pub struct Or<F>(PhantomData<fn() -> F>);

mod sealed {
    #[expect(unnameable_types, reason = "only this module may implement it")]
    pub trait SealedFilter {}
}

/// Implements a filter that matches all rows of a table, or none.
macro_rules! of_tables {
    ($filter:ident, $term:ident, $matches:expr) => {
        impl<C: Component> sealed::SealedFilter for $filter<C> {}

        impl<S: EntityStore, C: Component> EntityFilter<S> for $filter<C> {
            const TERM: FilterTerm = FilterTerm::$term(component::<S, C>());
            const READS: Access = Access::Each(&[]);
            const IS_PER_ROW: bool = false;

            type Memory = ();
            type Rows = bool;

            fn matches(table: S::Table<'_>) -> bool
            where
                S: EntityTables,
            {
                let matches: fn(bool) -> bool = $matches;
                matches(S::has::<C>(table))
            }

            #[inline]
            fn look(_: &S, (): &mut ())
            where
                S: EntityTables,
            {
            }

            fn rows(table: S::Table<'_>, (): &()) -> bool
            where
                S: EntityTables,
            {
                <Self as EntityFilter<S>>::matches(table)
            }

            #[inline(always)]
            unsafe fn can_match(matches: bool, _: usize) -> bool {
                matches
            }

            #[inline(always)]
            unsafe fn matches_all(matches: bool, _: usize) -> bool {
                matches
            }

            #[inline(always)]
            unsafe fn matches_row(matches: bool, _: usize) -> bool {
                matches
            }
        }
    };
}

of_tables!(With, With, |has| has);
of_tables!(Without, Without, |has| !has);

/// Implements a filter by those of the elements of a tuple.
macro_rules! combined {
    ($type:ty, $Term:ident, $first:literal $operator:tt ($($filter:ident $index:tt),*)) => {
        impl<$($filter: sealed::SealedFilter),*> sealed::SealedFilter for $type {}

        #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has no elements")]
        impl<S: EntityStore, $($filter: EntityFilter<S>),*> EntityFilter<S> for $type {
            const TERM: FilterTerm = FilterTerm::$Term(&[$(<$filter as EntityFilter<S>>::TERM),*]);
            const READS: Access = Access::Each(&[$(<$filter as EntityFilter<S>>::READS),*]);
            const IS_PER_ROW: bool = false $(|| <$filter as EntityFilter<S>>::IS_PER_ROW)*;

            type Memory = ($(<$filter as EntityFilter<S>>::Memory,)*);
            type Rows = ($(<$filter as EntityFilter<S>>::Rows,)*);

            fn matches(table: S::Table<'_>) -> bool
            where
                S: EntityTables,
            {
                $first $($operator <$filter as EntityFilter<S>>::matches(table))*
            }

            #[inline]
            fn look(store: &S, memory: &mut Self::Memory)
            where
                S: EntityTables,
            {
                $(<$filter as EntityFilter<S>>::look(store, &mut memory.$index);)*
            }

            #[inline]
            fn rows(table: S::Table<'_>, memory: &Self::Memory) -> Self::Rows
            where
                S: EntityTables,
            {
                ($(<$filter as EntityFilter<S>>::rows(table, &memory.$index),)*)
            }

            #[inline(always)]
            unsafe fn can_match(rows: Self::Rows, block: usize) -> bool {
                // SAFETY: the conditions are the same.
                $first $($operator unsafe { <$filter as EntityFilter<S>>::can_match(rows.$index, block) })*
            }

            #[inline(always)]
            unsafe fn matches_all(rows: Self::Rows, block: usize) -> bool {
                // SAFETY: the conditions are the same.
                $first $($operator unsafe { <$filter as EntityFilter<S>>::matches_all(rows.$index, block) })*
            }

            #[inline(always)]
            unsafe fn matches_row(rows: Self::Rows, row: usize) -> bool {
                // SAFETY: the conditions are the same.
                $first $($operator unsafe { <$filter as EntityFilter<S>>::matches_row(rows.$index, row) })*
            }
        }
    };
}

macro_rules! tuples {
    ($($filter:ident $index:tt),*) => {
        combined!(($($filter,)*), All, true && ($($filter $index),*));
        combined!(Or<($($filter,)*)>, Any, false || ($($filter $index),*));
    };
}

tuples!();
crate::__for_each_tuple!(tuples);
