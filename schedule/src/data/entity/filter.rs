//! The types of filters.

use core::marker::PhantomData;

use super::{Component, EntityStore, EntityTables, component};
use crate::data::access::FilterTerm;

/// A filter of the entities in `S`: [`With`], [`Without`], [`Or`], or a tuple of filters that must all match. `()` matches
/// all entities. No other type can be a filter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a filter of a query",
    label = "not a filter",
    note = "write `With<C>`, `Without<C>`, `Or<(…)>` or a tuple of these"
)]
pub trait EntityFilter<S: EntityStore>: sealed::SealedFilter + 'static {
    #[doc(hidden)]
    const TERM: FilterTerm;

    /// Whether the entities of a table match.
    #[doc(hidden)]
    fn matches(table: S::Table<'_>) -> bool
    where
        S: EntityTables;
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

impl<C: Component> sealed::SealedFilter for With<C> {}

impl<S: EntityStore, C: Component> EntityFilter<S> for With<C> {
    const TERM: FilterTerm = FilterTerm::With(component::<S, C>());

    fn matches(table: S::Table<'_>) -> bool
    where
        S: EntityTables,
    {
        S::has::<C>(table)
    }
}

impl<C: Component> sealed::SealedFilter for Without<C> {}

impl<S: EntityStore, C: Component> EntityFilter<S> for Without<C> {
    const TERM: FilterTerm = FilterTerm::Without(component::<S, C>());

    fn matches(table: S::Table<'_>) -> bool
    where
        S: EntityTables,
    {
        !S::has::<C>(table)
    }
}

macro_rules! tuples {
    ($($filter:ident $index:tt),*) => {
        impl<$($filter: sealed::SealedFilter),*> sealed::SealedFilter for ($($filter,)*) {}

        impl<S: EntityStore, $($filter: EntityFilter<S>),*> EntityFilter<S> for ($($filter,)*) {
            const TERM: FilterTerm = FilterTerm::All(&[$($filter::TERM),*]);

            fn matches(table: S::Table<'_>) -> bool
            where
                S: EntityTables,
            {
                let _ = table;
                true $(&& $filter::matches(table))*
            }
        }

        impl<$($filter: sealed::SealedFilter),*> sealed::SealedFilter for Or<($($filter,)*)> {}

        impl<S: EntityStore, $($filter: EntityFilter<S>),*> EntityFilter<S>
            for Or<($($filter,)*)>
        {
            const TERM: FilterTerm = FilterTerm::Any(&[$($filter::TERM),*]);

            fn matches(table: S::Table<'_>) -> bool
            where
                S: EntityTables,
            {
                let _ = table;
                false $(|| $filter::matches(table))*
            }
        }
    };
}

tuples!();
crate::__for_each_tuple!(tuples);
