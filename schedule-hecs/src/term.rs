//! The terms of queries: which components they access, and how they get them from an archetype.
#![expect(
    unsafe_code,
    reason = "forwards the contracts of columns, see `column.rs`"
)]

use hecs::{Archetype, Entity, EntityRef};
use schedule::entity::Component;

use crate::column::{self, EntityColumn, ReadColumn, ReadRows, WriteColumn, WriteRows};

/// The terms of a [`Query`](crate::Query): `&C`, `&mut C`, [`Entity`], `Option` of a term, or a tuple of up to twelve terms,
/// which can be nested. No other type can be a term.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a term of a query",
    label = "not a term",
    note = "write `&C`, `&mut C`, `Option<&C>`, `Option<&mut C>`, `Entity` or a tuple of these, where `C` has `#[derive(Component)]`"
)]
pub trait QueryTerms {
    /// The same terms with the lifetime `'static`.
    type Static: StaticTerms;
}

/// Terms that only read.
///
/// # Safety
///
/// No item contains an exclusive reference.
#[diagnostic::on_unimplemented(
    message = "the query writes `{Self}`",
    label = "needs an exclusive reference to the query",
    note = "use the method that ends with `_mut`, or write `&C` instead of `&mut C` in the query"
)]
pub unsafe trait ReadOnlyTerms: QueryTerms {}

/// [`QueryTerms`] with the lifetime `'static`.
pub trait StaticTerms: sealed::Sealed + 'static {
    /// The components, as the scheduler verifies them.
    #[doc(hidden)]
    type Components: 'static;
    /// What the query returns for an entity.
    type Item<'q>: Send;
    /// Borrowed columns of an archetype.
    #[doc(hidden)]
    type Columns<'w>: Send + Sync;
    /// The addresses in the columns.
    #[doc(hidden)]
    type Rows<'w>: Copy + Send + Sync;

    /// Whether an archetype has all required components.
    #[doc(hidden)]
    fn matches(archetype: &Archetype) -> bool;

    /// Whether an entity has all required components.
    #[doc(hidden)]
    fn matches_entity(entity: EntityRef<'_>) -> bool;

    /// Borrows the columns of an archetype that matches.
    ///
    /// # Panics
    ///
    /// If a column is already borrowed in a way that conflicts.
    #[doc(hidden)]
    fn borrow<'w>(world: &'w hecs::World, archetype: &'w Archetype) -> Self::Columns<'w>;

    /// Returns the addresses in borrowed columns.
    #[doc(hidden)]
    fn rows<'w>(columns: &Self::Columns<'w>) -> Self::Rows<'w>;

    /// Returns the item of a row.
    ///
    /// # Safety
    ///
    /// The columns of `rows` exist for `'q`, and have this row. If a term writes, no other item of this row is in use during
    /// `'q`.
    #[doc(hidden)]
    unsafe fn item<'q>(rows: Self::Rows<'_>, row: usize) -> Self::Item<'q>;

    /// Returns the item of an entity, if it has all required components.
    ///
    /// # Safety
    ///
    /// If the entity exists, it matches, and its columns are borrowed for `'q`. If a term writes, no other item of this entity is in use during `'q`.
    #[doc(hidden)]
    unsafe fn get<'q>(world: &'q hecs::World, entity: Entity) -> Option<Self::Item<'q>>;
}

mod sealed {
    #[expect(unnameable_types, reason = "only this module may implement it")]
    pub trait Sealed {}
}

impl<C: Component> QueryTerms for &C {
    type Static = &'static C;
}

// SAFETY: its items are shared references.
unsafe impl<C: Component> ReadOnlyTerms for &C {}

impl<C: Component> sealed::Sealed for &'static C {}

impl<C: Component> StaticTerms for &'static C {
    type Components = &'static C;
    type Item<'q> = &'q C;
    type Columns<'w> = ReadColumn<'w, C>;
    type Rows<'w> = ReadRows<C>;

    fn matches(archetype: &Archetype) -> bool {
        archetype.has::<C>()
    }

    #[inline]
    fn matches_entity(entity: EntityRef<'_>) -> bool {
        entity.has::<C>()
    }

    #[inline]
    fn borrow<'w>(_: &'w hecs::World, archetype: &'w Archetype) -> ReadColumn<'w, C> {
        ReadColumn::new(archetype).expect("the archetype matches")
    }

    #[inline]
    fn rows<'w>(columns: &Self::Columns<'w>) -> Self::Rows<'w> {
        columns.rows()
    }

    #[inline]
    unsafe fn item<'q>(rows: ReadRows<C>, row: usize) -> &'q C {
        // SAFETY: the conditions are the same.
        unsafe { rows.get(row) }
    }

    #[inline]
    unsafe fn get(world: &hecs::World, entity: Entity) -> Option<&C> {
        // SAFETY: the columns of the entity are borrowed to read.
        unsafe { column::get(world, entity) }
    }
}

impl<C: Component> QueryTerms for &mut C {
    type Static = &'static mut C;
}

impl<C: Component> sealed::Sealed for &'static mut C {}

impl<C: Component> StaticTerms for &'static mut C {
    type Components = &'static mut C;
    type Item<'q> = &'q mut C;
    type Columns<'w> = WriteColumn<'w, C>;
    type Rows<'w> = WriteRows<C>;

    fn matches(archetype: &Archetype) -> bool {
        archetype.has::<C>()
    }

    #[inline]
    fn matches_entity(entity: EntityRef<'_>) -> bool {
        entity.has::<C>()
    }

    #[inline]
    fn borrow<'w>(_: &'w hecs::World, archetype: &'w Archetype) -> WriteColumn<'w, C> {
        WriteColumn::new(archetype).expect("the archetype matches")
    }

    #[inline]
    fn rows<'w>(columns: &Self::Columns<'w>) -> Self::Rows<'w> {
        columns.rows()
    }

    #[inline]
    unsafe fn item<'q>(rows: WriteRows<C>, row: usize) -> &'q mut C {
        // SAFETY: the conditions are the same.
        unsafe { rows.get(row) }
    }

    #[inline]
    unsafe fn get<'q>(world: &'q hecs::World, entity: Entity) -> Option<Self::Item<'q>> {
        // SAFETY: the columns of the entity are borrowed to write, and no other item of it is in use.
        unsafe { column::get_mut(world, entity) }
    }
}

impl QueryTerms for Entity {
    type Static = Entity;
}

// SAFETY: its items are no references.
unsafe impl ReadOnlyTerms for Entity {}

impl sealed::Sealed for Entity {}

impl StaticTerms for Entity {
    type Components = ();
    type Item<'q> = Entity;
    type Columns<'w> = EntityColumn<'w>;
    type Rows<'w> = EntityColumn<'w>;

    fn matches(_: &Archetype) -> bool {
        true
    }

    #[inline]
    fn matches_entity(_: EntityRef<'_>) -> bool {
        true
    }

    #[inline]
    fn borrow<'w>(world: &'w hecs::World, archetype: &'w Archetype) -> EntityColumn<'w> {
        EntityColumn::new(world, archetype)
    }

    #[inline]
    fn rows<'w>(columns: &Self::Columns<'w>) -> Self::Rows<'w> {
        *columns
    }

    #[inline]
    unsafe fn item<'q>(rows: Self::Rows<'_>, row: usize) -> Self::Item<'q> {
        rows.get(row)
    }

    #[inline]
    unsafe fn get(world: &hecs::World, entity: Entity) -> Option<Entity> {
        world.contains(entity).then_some(entity)
    }
}

impl<Q: QueryTerms> QueryTerms for Option<Q> {
    type Static = Option<Q::Static>;
}

// SAFETY: the item of the inner term contains no exclusive reference.
unsafe impl<Q: ReadOnlyTerms> ReadOnlyTerms for Option<Q> {}

impl<Q: StaticTerms> sealed::Sealed for Option<Q> {}

impl<Q: StaticTerms> StaticTerms for Option<Q> {
    type Components = Option<Q::Components>;
    type Item<'q> = Option<Q::Item<'q>>;
    type Columns<'w> = Option<Q::Columns<'w>>;
    type Rows<'w> = Option<Q::Rows<'w>>;

    fn matches(_: &Archetype) -> bool {
        true
    }

    #[inline]
    fn matches_entity(_: EntityRef<'_>) -> bool {
        true
    }

    #[inline]
    fn borrow<'w>(world: &'w hecs::World, archetype: &'w Archetype) -> Self::Columns<'w> {
        Q::matches(archetype).then(|| Q::borrow(world, archetype))
    }

    #[inline]
    fn rows<'w>(columns: &Self::Columns<'w>) -> Self::Rows<'w> {
        columns.as_ref().map(Q::rows)
    }

    #[inline]
    unsafe fn item<'q>(rows: Self::Rows<'_>, row: usize) -> Self::Item<'q> {
        // SAFETY: the conditions are the same.
        rows.map(|rows| unsafe { Q::item(rows, row) })
    }

    #[inline]
    unsafe fn get<'q>(world: &'q hecs::World, entity: Entity) -> Option<Self::Item<'q>> {
        // SAFETY: the conditions are the same. If the entity lacks a component of the term, `get` returns `None`.
        world
            .contains(entity)
            .then(|| unsafe { Q::get(world, entity) })
    }
}

macro_rules! tuples {
    ($($term:ident)*) => {
        impl<$($term: QueryTerms),*> QueryTerms for ($($term,)*) {
            type Static = ($($term::Static,)*);
        }

        // SAFETY: the items of the terms contain no exclusive references.
        unsafe impl<$($term: ReadOnlyTerms),*> ReadOnlyTerms for ($($term,)*) {}

        impl<$($term: StaticTerms),*> sealed::Sealed for ($($term,)*) {}

        #[allow(
            non_snake_case,
            unused_variables,
            clippy::unused_unit,
            reason = "variables have the names of the type parameters, and the empty tuple has none"
        )]
        impl<$($term: StaticTerms),*> StaticTerms for ($($term,)*) {
            type Components = ($($term::Components,)*);
            type Item<'q> = ($($term::Item<'q>,)*);
            type Columns<'w> = ($($term::Columns<'w>,)*);
            type Rows<'w> = ($($term::Rows<'w>,)*);

            fn matches(archetype: &Archetype) -> bool {
                true $(&& $term::matches(archetype))*
            }

            #[inline]
            fn matches_entity(entity: EntityRef<'_>) -> bool {
                true $(&& $term::matches_entity(entity))*
            }

            #[inline]
            fn borrow<'w>(world: &'w hecs::World, archetype: &'w Archetype) -> Self::Columns<'w> {
                ($($term::borrow(world, archetype),)*)
            }

            #[inline]
            fn rows<'w>(($($term,)*): &Self::Columns<'w>) -> Self::Rows<'w> {
                ($($term::rows($term),)*)
            }

            #[inline]
            unsafe fn item<'q>(($($term,)*): Self::Rows<'_>, row: usize) -> Self::Item<'q> {
                ($(
                    // SAFETY: the conditions are the same. The terms have different components if one of them writes.
                    unsafe { $term::item($term, row) },
                )*)
            }

            #[inline]
            unsafe fn get<'q>(world: &'q hecs::World, entity: Entity) -> Option<Self::Item<'q>> {
                Some(($(
                    // SAFETY: as in `item`.
                    unsafe { $term::get(world, entity) }?,
                )*))
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
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);
