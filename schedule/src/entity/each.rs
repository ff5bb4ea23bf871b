//! The parameters of `for_each` systems.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use super::{Component, ComponentTerms, ComponentType, EntityTables, Permit, Row};
use crate::access::Access;
use crate::param::{Commands, Declares, Param, Part};

/// A parameter of a `for_each` system, except resources. `S` is the store of the entities.
///
/// | parameter | meaning |
/// |---|---|
/// | `&C`, `&mut C` | a [`Component`] of the entity. The system runs only for entities that have it |
/// | `Option<&C>`, `Option<&mut C>` | a component, or `None` if the entity does not have it |
/// | the type [`EntityTables::Entity`] | the id of the entity |
/// | [`Row`] | the position of the entity in its table |
/// | [`Commands`] | records commands, in the order of the entities |
/// | a `Query` of `schedule-hecs` | components of other entities, to read |
/// | tuples | up to twelve parameters |
///
/// A resource is not in this list. It has the attribute `#[resource]`, and is `&R` or `Option<&R>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a `for_each` system",
    label = "not a parameter of a `for_each` system",
    note = "take a component `C` as `&C`, `&mut C`, `Option<&C>` or `Option<&mut C>`, and a resource `R` as `#[resource] &R` or `#[resource] Option<&R>`",
    note = "for all other data, write a system with a query and a loop"
)]
pub trait EachParam<S: EntityTables> {
    /// Fetches the parameter.
    type State: EachFetch<S>;

    /// The state as a value, because generated code cannot name its type.
    #[doc(hidden)]
    const EACH: Self::State;
}

/// How a parameter of a `for_each` system gets its value for an entity.
pub trait EachFetch<S: EntityTables>: 'static {
    /// The components of the entity that the parameter accesses.
    type Terms: ComponentTerms<S>;

    /// A parameter that is fetched once for all entities, or `()`.
    type Shared: Param;

    /// The borrowed columns of a table.
    type Columns<'s>;

    /// Slices of the columns.
    type Rows<'t, 's: 't>;

    /// The value of the parameter for an entity.
    type Item<'q>;

    /// The access of a parameter that other systems can take, but not `for_each` systems.
    #[doc(hidden)]
    const REFUSED: Option<Access> = None;

    /// Whether the table has all required columns.
    fn matches(table: S::Table<'_>) -> bool;

    /// Borrows the columns of a table that matches.
    fn columns<'s>(table: S::Table<'s>, permit: Permit<'s, S, Self::Terms>) -> Self::Columns<'s>;

    /// Returns the columns as slices of `n_rows` elements.
    fn rows<'t, 's: 't>(columns: &'t mut Self::Columns<'s>, n_rows: usize) -> Self::Rows<'t, 's>;

    /// Returns the value for the entity in a row.
    fn item<'q, 't, 's: 't>(
        rows: &'q mut Self::Rows<'t, 's>,
        shared: &'q mut Part<'_, Self::Shared>,
        row: usize,
    ) -> Self::Item<'q>;
}

/// The state of a parameter `P` of a `for_each` system.
pub struct Each<P>(PhantomData<fn() -> P>);

impl<P> Each<P> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

impl<P> fmt::Debug for Each<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Each")
    }
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

impl<S: EntityTables, C: Component> EachFetch<S> for Each<&'static C> {
    type Terms = &'static C;
    type Shared = ();
    type Columns<'s> = S::Column<'s, C>;
    type Rows<'t, 's: 't> = &'t [C];
    type Item<'q> = &'q C;

    fn matches(table: S::Table<'_>) -> bool {
        S::has::<C>(table)
    }

    #[inline]
    fn columns<'s>(table: S::Table<'s>, permit: Permit<'s, S, Self::Terms>) -> Self::Columns<'s> {
        S::column(table, permit).expect("the table matches")
    }

    #[inline]
    fn rows<'t, 's: 't>(columns: &'t mut Self::Columns<'s>, n_rows: usize) -> &'t [C] {
        &Deref::deref(columns)[..n_rows]
    }

    #[inline]
    fn item<'q, 't, 's: 't>(rows: &'q mut &'t [C], (): &'q mut (), row: usize) -> &'q C {
        &rows[row]
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

impl<S: EntityTables, C: Component> EachFetch<S> for Each<&'static mut C> {
    type Terms = &'static mut C;
    type Shared = ();
    type Columns<'s> = S::ColumnMut<'s, C>;
    type Rows<'t, 's: 't> = &'t mut [C];
    type Item<'q> = &'q mut C;

    fn matches(table: S::Table<'_>) -> bool {
        S::has::<C>(table)
    }

    #[inline]
    fn columns<'s>(table: S::Table<'s>, permit: Permit<'s, S, Self::Terms>) -> Self::Columns<'s> {
        S::column_mut(table, permit).expect("the table matches")
    }

    #[inline]
    fn rows<'t, 's: 't>(columns: &'t mut Self::Columns<'s>, n_rows: usize) -> &'t mut [C] {
        &mut DerefMut::deref_mut(columns)[..n_rows]
    }

    #[inline]
    fn item<'q, 't, 's: 't>(rows: &'q mut &'t mut [C], (): &'q mut (), row: usize) -> &'q mut C {
        &mut rows[row]
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

impl<S: EntityTables, C: Component> EachFetch<S> for Each<Option<&'static C>> {
    type Terms = Option<&'static C>;
    type Shared = ();
    type Columns<'s> = Option<S::Column<'s, C>>;
    type Rows<'t, 's: 't> = Option<&'t [C]>;
    type Item<'q> = Option<&'q C>;

    fn matches(_: S::Table<'_>) -> bool {
        true
    }

    #[inline]
    fn columns<'s>(table: S::Table<'s>, permit: Permit<'s, S, Self::Terms>) -> Self::Columns<'s> {
        S::column(table, permit.part())
    }

    #[inline]
    fn rows<'t, 's: 't>(columns: &'t mut Self::Columns<'s>, n_rows: usize) -> Option<&'t [C]> {
        columns.as_deref().map(|column| &column[..n_rows])
    }

    #[inline]
    fn item<'q, 't, 's: 't>(
        rows: &'q mut Option<&'t [C]>,
        (): &'q mut (),
        row: usize,
    ) -> Option<&'q C> {
        rows.map(|rows| &rows[row])
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

impl<S: EntityTables, C: Component> EachFetch<S> for Each<Option<&'static mut C>> {
    type Terms = Option<&'static mut C>;
    type Shared = ();
    type Columns<'s> = Option<S::ColumnMut<'s, C>>;
    type Rows<'t, 's: 't> = Option<&'t mut [C]>;
    type Item<'q> = Option<&'q mut C>;

    fn matches(_: S::Table<'_>) -> bool {
        true
    }

    #[inline]
    fn columns<'s>(table: S::Table<'s>, permit: Permit<'s, S, Self::Terms>) -> Self::Columns<'s> {
        S::column_mut(table, permit.part())
    }

    #[inline]
    fn rows<'t, 's: 't>(columns: &'t mut Self::Columns<'s>, n_rows: usize) -> Option<&'t mut [C]> {
        columns.as_deref_mut().map(|column| &mut column[..n_rows])
    }

    #[inline]
    fn item<'q, 't, 's: 't>(
        rows: &'q mut Option<&'t mut [C]>,
        (): &'q mut (),
        row: usize,
    ) -> Option<&'q mut C> {
        rows.as_mut().map(|rows| &mut rows[row])
    }
}

/// The state of the entity type of a store, for its implementation of [`EachParam`].
#[derive(Debug)]
pub struct EachEntity;

impl<S: EntityTables> EachFetch<S> for EachEntity {
    type Terms = ();
    type Shared = ();
    type Columns<'s> = S::Table<'s>;
    type Rows<'t, 's: 't> = S::Table<'s>;
    type Item<'q> = S::Entity;

    fn matches(_: S::Table<'_>) -> bool {
        true
    }

    #[inline]
    fn columns<'s>(table: S::Table<'s>, _: Permit<'s, S, ()>) -> S::Table<'s> {
        table
    }

    #[inline]
    fn rows<'t, 's: 't>(columns: &'t mut S::Table<'s>, _: usize) -> S::Table<'s> {
        *columns
    }

    #[inline]
    fn item<'q, 't, 's: 't>(
        rows: &'q mut S::Table<'s>,
        (): &'q mut (),
        row: usize,
    ) -> Self::Item<'q> {
        S::entity(*rows, row)
    }
}

/// Implements [`EachFetch`] for a parameter without columns.
macro_rules! without_columns {
    ($item:ty, $shared:ty, |$from:pat_param, $row:pat_param| $value:expr) => {
        type Terms = ();
        type Shared = $shared;
        type Columns<'s> = ();
        type Rows<'t, 's: 't> = ();
        type Item<'q> = $item;

        fn matches(_: S::Table<'_>) -> bool {
            true
        }

        #[inline]
        fn columns<'s>(_: S::Table<'s>, _: Permit<'s, S, ()>) -> Self::Columns<'s> {}

        #[inline]
        fn rows<'t, 's: 't>(_: &'t mut Self::Columns<'s>, _: usize) -> Self::Rows<'t, 's> {}

        #[inline]
        fn item<'q, 't, 's: 't>(
            _: &'q mut Self::Rows<'t, 's>,
            $from: &'q mut Part<'_, Self::Shared>,
            $row: usize,
        ) -> Self::Item<'q> {
            $value
        }
    };
}

impl<S: EntityTables> EachParam<S> for Row {
    type State = Each<Row>;
    const EACH: Self::State = Each::NEW;
}

impl<S: EntityTables> EachFetch<S> for Each<Row> {
    without_columns!(Row, (), |_, row| Row(row));
}

impl<S: EntityTables, D: Declares> EachParam<S> for Commands<'_, D> {
    type State = Each<Commands<'static, D>>;
    const EACH: Self::State = Each::NEW;
}

impl<S: EntityTables, D: Declares> EachFetch<S> for Each<Commands<'static, D>> {
    without_columns!(Commands<'q, D>, Commands<'static, D>, |commands, _| {
        commands.reborrow()
    });
}

macro_rules! tuples {
    ($($param:ident $index:tt),*) => {
        impl<S: EntityTables, $($param: EachParam<S>),*> EachParam<S> for ($($param,)*) {
            type State = ($($param::State,)*);
            const EACH: Self::State = ($($param::EACH,)*);
        }

        #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has no elements")]
        impl<S: EntityTables, $($param: EachFetch<S>),*> EachFetch<S> for ($($param,)*) {
            type Terms = ($($param::Terms,)*);
            type Shared = ($($param::Shared,)*);
            type Columns<'s> = ($($param::Columns<'s>,)*);
            type Rows<'t, 's: 't> = ($($param::Rows<'t, 's>,)*);
            type Item<'q> = ($($param::Item<'q>,)*);

            fn matches(table: S::Table<'_>) -> bool {
                true $(&& $param::matches(table))*
            }

            #[inline]
            fn columns<'s>(
                table: S::Table<'s>,
                permit: Permit<'s, S, Self::Terms>,
            ) -> Self::Columns<'s> {
                ($($param::columns(table, permit.part()),)*)
            }

            #[inline]
            fn rows<'t, 's: 't>(
                columns: &'t mut Self::Columns<'s>,
                n_rows: usize,
            ) -> Self::Rows<'t, 's> {
                ($($param::rows(&mut columns.$index, n_rows),)*)
            }

            #[inline]
            fn item<'q, 't, 's: 't>(
                rows: &'q mut Self::Rows<'t, 's>,
                shared: &'q mut Part<'_, Self::Shared>,
                row: usize,
            ) -> Self::Item<'q> {
                ($($param::item(&mut rows.$index, &mut shared.$index, row),)*)
            }
        }
    };
}

tuples!();
crate::__for_each_tuple!(tuples);
