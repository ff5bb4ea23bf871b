//! Which archetypes match a filter.

use hecs::{Archetype, Component, EntityRef};
use schedule::entity::{Added, Changed, Or, With, Without};

/// A filter of a [`Query`](crate::Query): [`With`], [`Without`], [`Changed`], [`Added`], [`Or`], or a tuple of filters that must all
/// match. `()` matches all entities. No other type can be a filter.
///
/// [`Changed`] and [`Added`] refer to the last run of the system. In a query outside of a system, and in one of a dynamic system, they
/// match all entities that have the component.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a filter of a query",
    label = "not a filter",
    note = "write `With<C>`, `Without<C>`, `Changed<C>`, `Added<C>`, `Or<(…)>` or a tuple of these, where `C` is a component"
)]
pub trait QueryFilter: sealed::SealedFilter + 'static {
    /// `Self`. See [`Stores`](crate::Stores).
    #[doc(hidden)]
    type Static: 'static;

    /// Whether the entities of an archetype match, or whether an entity does.
    #[doc(hidden)]
    fn matches(of: impl HasComponents) -> bool;
}

/// An archetype or an entity.
#[doc(hidden)]
pub trait HasComponents: Copy {
    /// Whether it has this component.
    fn has<C: Component>(self) -> bool;
}

impl HasComponents for &Archetype {
    fn has<C: Component>(self) -> bool {
        Archetype::has::<C>(self)
    }
}

impl HasComponents for EntityRef<'_> {
    #[inline]
    fn has<C: Component>(self) -> bool {
        EntityRef::has::<C>(&self)
    }
}

mod sealed {
    #[expect(unnameable_types, reason = "only this module may implement it")]
    pub trait SealedFilter {}
}

impl<C: Component> sealed::SealedFilter for With<C> {}

impl<C: Component> QueryFilter for With<C> {
    type Static = Self;

    #[inline]
    fn matches(of: impl HasComponents) -> bool {
        of.has::<C>()
    }
}

impl<C: Component> sealed::SealedFilter for Without<C> {}

impl<C: Component> QueryFilter for Without<C> {
    type Static = Self;

    #[inline]
    fn matches(of: impl HasComponents) -> bool {
        !of.has::<C>()
    }
}

/// Implements a filter that matches rows of archetypes that have the component.
macro_rules! of_rows {
    ($filter:ident) => {
        impl<C: Component> sealed::SealedFilter for $filter<C> {}

        impl<C: Component> QueryFilter for $filter<C> {
            type Static = Self;

            #[inline]
            fn matches(of: impl HasComponents) -> bool {
                of.has::<C>()
            }
        }
    };
}

of_rows!(Changed);
of_rows!(Added);

macro_rules! tuples {
    ($($filter:ident $index:tt),*) => {
        impl<$($filter: QueryFilter),*> sealed::SealedFilter for ($($filter,)*) {}

        impl<$($filter: QueryFilter),*> QueryFilter for ($($filter,)*) {
            type Static = ($($filter::Static,)*);

            #[inline]
            fn matches(of: impl HasComponents) -> bool {
                let _ = of;
                true $(&& $filter::matches(of))*
            }
        }

        impl<$($filter: QueryFilter),*> sealed::SealedFilter for Or<($($filter,)*)> {}

        impl<$($filter: QueryFilter),*> QueryFilter for Or<($($filter,)*)> {
            type Static = Or<($($filter::Static,)*)>;

            #[inline]
            fn matches(of: impl HasComponents) -> bool {
                let _ = of;
                false $(|| $filter::matches(of))*
            }
        }
    };
}

tuples!();
schedule::__for_each_tuple!(tuples);
