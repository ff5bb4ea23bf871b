//! Which archetypes match a filter.

use hecs::{Archetype, Component, EntityRef};
use schedule::entity::{Or, With, Without};

/// A filter of a [`Query`](crate::Query): [`With`], [`Without`], [`Or`], or a tuple of filters that must all match. `()`
/// matches all entities. No other type can be a filter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a filter of a query",
    label = "not a filter",
    note = "write `With<C>`, `Without<C>`, `Or<(…)>` or a tuple of these, where `C` is a component"
)]
pub trait QueryFilter: sealed::SealedFilter + 'static {
    /// `Self`. See [`Stores`](crate::query::Stores).
    #[doc(hidden)]
    type Static: 'static;

    /// Whether the entities of this archetype match.
    #[doc(hidden)]
    fn matches(archetype: &Archetype) -> bool;

    /// Whether this entity matches.
    #[doc(hidden)]
    fn matches_entity(entity: EntityRef<'_>) -> bool;
}

mod sealed {
    #[expect(unnameable_types, reason = "only this module may implement it")]
    pub trait SealedFilter {}
}

impl<C: Component> sealed::SealedFilter for With<C> {}

impl<C: Component> QueryFilter for With<C> {
    type Static = Self;

    fn matches(archetype: &Archetype) -> bool {
        archetype.has::<C>()
    }

    fn matches_entity(entity: EntityRef<'_>) -> bool {
        entity.has::<C>()
    }
}

impl<C: Component> sealed::SealedFilter for Without<C> {}

impl<C: Component> QueryFilter for Without<C> {
    type Static = Self;

    fn matches(archetype: &Archetype) -> bool {
        !archetype.has::<C>()
    }

    fn matches_entity(entity: EntityRef<'_>) -> bool {
        !entity.has::<C>()
    }
}

macro_rules! tuples {
    ($($filter:ident)*) => {
        impl<$($filter: QueryFilter),*> sealed::SealedFilter for ($($filter,)*) {}

        impl<$($filter: QueryFilter),*> QueryFilter for ($($filter,)*) {
            type Static = ($($filter::Static,)*);

            #[inline]
            fn matches(archetype: &Archetype) -> bool {
                let _ = archetype;
                true $(&& $filter::matches(archetype))*
            }

            #[inline]
            fn matches_entity(entity: EntityRef<'_>) -> bool {
                let _ = entity;
                true $(&& $filter::matches_entity(entity))*
            }
        }

        impl<$($filter: QueryFilter),*> sealed::SealedFilter for Or<($($filter,)*)> {}

        impl<$($filter: QueryFilter),*> QueryFilter for Or<($($filter,)*)> {
            type Static = Or<($($filter::Static,)*)>;

            fn matches(archetype: &Archetype) -> bool {
                let _ = archetype;
                false $(|| $filter::matches(archetype))*
            }

            fn matches_entity(entity: EntityRef<'_>) -> bool {
                let _ = entity;
                false $(|| $filter::matches_entity(entity))*
            }
        }
    };
}

tuples!();
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
