//! The terms of queries: which components they access, and how they get them from an archetype.
//!
//! Invariant: a term returns references only to the components in [`StaticTerms::Components`], which the schedule verifies, and
//! exclusive references only for `&mut C`. No two terms of one query conflict, so the references in one item never alias.
#![expect(unsafe_code, reason = "passes on the safety conditions of `column.rs`")]

use core::fmt;
use core::ops::Range;

use hecs::{Archetype, ArchetypeColumn, ArchetypeColumnMut, Component, Entity};

use schedule::param::Mut;

use crate::column::{EntityRows, Rows, WrittenRows};
use crate::entities::Entities;
use crate::filter::HasComponents;

/// The terms of a [`Query`](crate::Query): `&C`, `&mut C`, [`Mut<C>`](Mut), [`Entity`], `Option` of a term, or a tuple of up to twelve terms,
/// which can be nested. No other type can be a term.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a term of a query",
    label = "not a term",
    note = "write `&C`, `&mut C`, `Mut<C>`, `Option<&C>`, `Option<&mut C>`, `Entity` or a tuple of up to twelve of these, where `C` has `#[derive(Component)]`; nest tuples for more than twelve"
)]
pub trait QueryTerms: sealed::SealedTerms {
    /// The same terms with the lifetime `'static`.
    type Static: StaticTerms;
}

/// Terms that only read.
///
/// # Safety
///
/// No item contains an exclusive reference.
#[diagnostic::on_unimplemented(
    message = "this query writes, so it must be used exclusively",
    label = "needs an exclusive reference to the query",
    note = "use the method that ends with `_mut`, or write `&C` instead of `&mut C` in the query"
)]
pub unsafe trait ReadOnlyTerms: QueryTerms {}

/// [`QueryTerms`] with the lifetime `'static`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a term of a query",
    label = "not a term"
)]
pub trait StaticTerms: sealed::SealedTerms + 'static {
    /// The components, as the scheduler verifies them.
    #[doc(hidden)]
    type Components: 'static;
    /// What the query returns for an entity.
    type Item<'q>: Send;
    /// The addresses of the columns of an archetype.
    #[doc(hidden)]
    type Rows: Copy + Send + Sync;
    /// The borrows of the columns of an archetype, which hecs checks at run time.
    #[doc(hidden)]
    type Borrow<'w>;

    /// Addresses that are not null, of columns without rows.
    #[doc(hidden)]
    const NO_ROWS: Self::Rows;

    /// Whether an archetype or an entity has all required components.
    #[doc(hidden)]
    fn matches(of: impl HasComponents) -> bool;

    /// Looks up the columns of an archetype. Returns `None` if it does not match, or has no entity.
    #[doc(hidden)]
    fn rows(of: ArchetypeOf<'_>) -> Option<Self::Rows>;

    /// Takes the borrows that hecs checks, of an archetype that matches.
    ///
    /// # Panics
    ///
    /// If a column is already borrowed in a way that conflicts.
    #[doc(hidden)]
    fn borrow(archetype: &Archetype) -> Self::Borrow<'_>;

    /// Returns the item of a row.
    ///
    /// # Safety
    ///
    /// The rows are those of an archetype of this world, which has this row, and were looked up since the last change of
    /// entities. If a term writes, no other reference to its component of this row is in use during `'q`. If a term reads, no
    /// exclusive one is.
    #[doc(hidden)]
    unsafe fn item<'q>(world: &'q hecs::World, rows: Self::Rows, row: usize) -> Self::Item<'q>;

    /// Whether a term writes a watched component.
    #[doc(hidden)]
    #[inline]
    fn is_marked(rows: Self::Rows) -> bool {
        let _ = rows;
        false
    }

    /// Notes that a query begins to write components that are watched.
    ///
    /// # Safety
    ///
    /// The rows were looked up since the last change of entities.
    #[doc(hidden)]
    unsafe fn begin_writes(rows: &mut Self::Rows) {
        let _ = rows;
    }

    /// Marks rows whose items are returned.
    ///
    /// # Safety
    ///
    /// As for [`begin_writes`](Self::begin_writes). The archetype has these rows.
    #[doc(hidden)]
    unsafe fn mark_rows(rows: Self::Rows, range: Range<usize>) {
        let _ = (rows, range);
    }
}

/// An archetype of a world.
#[doc(hidden)]
#[derive(Clone, Copy)]
#[expect(unnameable_types, reason = "only queries refer to it")]
pub struct ArchetypeOf<'w> {
    pub(crate) entities: &'w Entities,
    pub(crate) archetype: &'w Archetype,
    /// The number of the archetype.
    pub(crate) idx: usize,
}

impl fmt::Debug for ArchetypeOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArchetypeOf({})", self.idx)
    }
}

/// Implements the parts of [`StaticTerms`] for a term that writes `C`.
macro_rules! written {
    ($are_written:literal) => {
        fn rows(of: ArchetypeOf<'_>) -> Option<WrittenRows<C>> {
            WrittenRows::find(of.entities, of.archetype, of.idx)
        }

        #[inline]
        fn is_marked(rows: WrittenRows<C>) -> bool {
            rows.marks.is_some()
        }

        unsafe fn begin_writes(rows: &mut WrittenRows<C>) {
            // SAFETY: the conditions are the same.
            unsafe { rows.begin_write() }
        }

        unsafe fn mark_rows(rows: WrittenRows<C>, range: Range<usize>) {
            // SAFETY: the conditions are the same.
            unsafe { rows.mark_rows(range, $are_written) }
        }
    };
}

mod sealed {
    #[expect(unnameable_types, reason = "only this module may implement it")]
    pub trait SealedTerms {}
}

impl<C: Component> QueryTerms for &C {
    type Static = &'static C;
}

// `&mut C` meets the bound, too. So the compiler would suggest to borrow a query that writes.
#[diagnostic::do_not_recommend]
// SAFETY: its items are shared references.
unsafe impl<C: Component> ReadOnlyTerms for &C {}

impl<C: Component> sealed::SealedTerms for &C {}

impl<C: Component> StaticTerms for &'static C {
    type Components = &'static C;
    type Item<'q> = &'q C;
    type Rows = Rows<C>;
    type Borrow<'w> = Option<ArchetypeColumn<'w, C>>;

    const NO_ROWS: Rows<C> = Rows::NONE;

    #[inline]
    fn matches(of: impl HasComponents) -> bool {
        of.has::<C>()
    }

    fn rows(of: ArchetypeOf<'_>) -> Option<Rows<C>> {
        Rows::find(of.entities.hecs(), of.archetype)
    }

    fn borrow(archetype: &Archetype) -> Self::Borrow<'_> {
        archetype.get::<&C>()
    }

    #[inline]
    unsafe fn item<'q>(_: &'q hecs::World, rows: Rows<C>, row: usize) -> Self::Item<'q> {
        // SAFETY: the conditions are the same.
        unsafe { rows.get(row) }
    }
}

impl<C: Component> QueryTerms for &mut C {
    type Static = &'static mut C;
}

impl<C: Component> sealed::SealedTerms for &mut C {}

impl<C: Component> StaticTerms for &'static mut C {
    type Components = &'static mut C;
    type Item<'q> = &'q mut C;
    type Rows = WrittenRows<C>;
    type Borrow<'w> = Option<ArchetypeColumnMut<'w, C>>;

    const NO_ROWS: WrittenRows<C> = WrittenRows::NONE;

    #[inline]
    fn matches(of: impl HasComponents) -> bool {
        of.has::<C>()
    }

    written!(true);

    fn borrow(archetype: &Archetype) -> Self::Borrow<'_> {
        archetype.get::<&mut C>()
    }

    #[inline]
    unsafe fn item<'q>(_: &'q hecs::World, rows: WrittenRows<C>, row: usize) -> Self::Item<'q> {
        // SAFETY: the conditions are the same.
        unsafe { rows.values.get_mut(row) }
    }
}

impl<C: Component> QueryTerms for Mut<'_, C> {
    type Static = Mut<'static, C>;
}

impl<C: Component> sealed::SealedTerms for Mut<'_, C> {}

impl<C: Component> StaticTerms for Mut<'static, C> {
    type Components = &'static mut C;
    type Item<'q> = Mut<'q, C>;
    type Rows = WrittenRows<C>;
    type Borrow<'w> = Option<ArchetypeColumnMut<'w, C>>;

    const NO_ROWS: WrittenRows<C> = WrittenRows::NONE;

    #[inline]
    fn matches(of: impl HasComponents) -> bool {
        of.has::<C>()
    }

    written!(false);

    fn borrow(archetype: &Archetype) -> Self::Borrow<'_> {
        archetype.get::<&mut C>()
    }

    #[inline]
    unsafe fn item<'q>(_: &'q hecs::World, rows: WrittenRows<C>, row: usize) -> Self::Item<'q> {
        // SAFETY: the conditions are the same.
        unsafe { rows.get_mut(row) }
    }
}

impl QueryTerms for Entity {
    type Static = Entity;
}

// SAFETY: its items contain no references.
unsafe impl ReadOnlyTerms for Entity {}

impl sealed::SealedTerms for Entity {}

impl StaticTerms for Entity {
    type Components = ();
    type Item<'q> = Entity;
    type Rows = EntityRows;
    type Borrow<'w> = ();

    const NO_ROWS: EntityRows = EntityRows::NONE;

    #[inline]
    fn matches(_: impl HasComponents) -> bool {
        true
    }

    fn rows(of: ArchetypeOf<'_>) -> Option<EntityRows> {
        (!of.archetype.is_empty()).then(|| EntityRows::new(of.archetype))
    }

    fn borrow(_: &Archetype) {}

    #[inline]
    unsafe fn item<'q>(world: &'q hecs::World, rows: EntityRows, row: usize) -> Self::Item<'q> {
        // SAFETY: the conditions are the same.
        unsafe { rows.get(world, row) }
    }
}

impl<Q: QueryTerms> QueryTerms for Option<Q> {
    type Static = Option<Q::Static>;
}

// SAFETY: the item of the inner term contains no exclusive reference.
unsafe impl<Q: ReadOnlyTerms> ReadOnlyTerms for Option<Q> {}

impl<Q: sealed::SealedTerms> sealed::SealedTerms for Option<Q> {}

impl<Q: StaticTerms> StaticTerms for Option<Q> {
    type Components = Option<Q::Components>;
    type Item<'q> = Option<Q::Item<'q>>;
    type Rows = Option<Q::Rows>;
    type Borrow<'w> = Option<Q::Borrow<'w>>;

    const NO_ROWS: Self::Rows = None;

    #[inline]
    fn matches(_: impl HasComponents) -> bool {
        true
    }

    fn rows(of: ArchetypeOf<'_>) -> Option<Self::Rows> {
        (!of.archetype.is_empty()).then(|| Q::rows(of))
    }

    #[inline]
    fn is_marked(rows: Self::Rows) -> bool {
        rows.is_some_and(Q::is_marked)
    }

    unsafe fn begin_writes(rows: &mut Self::Rows) {
        if let Some(rows) = rows {
            // SAFETY: the conditions are the same.
            unsafe { Q::begin_writes(rows) };
        }
    }

    unsafe fn mark_rows(rows: Self::Rows, range: Range<usize>) {
        if let Some(rows) = rows {
            // SAFETY: the conditions are the same.
            unsafe { Q::mark_rows(rows, range) };
        }
    }

    fn borrow(archetype: &Archetype) -> Self::Borrow<'_> {
        Q::matches(archetype).then(|| Q::borrow(archetype))
    }

    #[inline]
    unsafe fn item<'q>(world: &'q hecs::World, rows: Self::Rows, row: usize) -> Self::Item<'q> {
        // SAFETY: the conditions are the same.
        rows.map(|rows| unsafe { Q::item(world, rows, row) })
    }
}

macro_rules! tuples {
    ($($term:ident $index:tt),*) => {
        impl<$($term: QueryTerms),*> QueryTerms for ($($term,)*) {
            type Static = ($($term::Static,)*);
        }

        // SAFETY: the items of the terms contain no exclusive references.
        unsafe impl<$($term: ReadOnlyTerms),*> ReadOnlyTerms for ($($term,)*) {}

        impl<$($term: sealed::SealedTerms),*> sealed::SealedTerms for ($($term,)*) {}

        #[allow(
            non_snake_case,
            unused_variables,
            clippy::unused_unit,
            reason = "variables have the names of the type parameters, and the empty tuple has none"
        )]
        impl<$($term: StaticTerms),*> StaticTerms for ($($term,)*) {
            type Components = ($($term::Components,)*);
            type Item<'q> = ($($term::Item<'q>,)*);
            type Rows = ($($term::Rows,)*);
            type Borrow<'w> = ($($term::Borrow<'w>,)*);

            const NO_ROWS: Self::Rows = ($($term::NO_ROWS,)*);

            #[inline]
            fn matches(of: impl HasComponents) -> bool {
                true $(&& $term::matches(of))*
            }

            fn rows(of: ArchetypeOf<'_>) -> Option<Self::Rows> {
                if of.archetype.is_empty() {
                    return None;
                }
                Some(($($term::rows(of)?,)*))
            }

            #[inline]
            fn is_marked(($($term,)*): Self::Rows) -> bool {
                false $(|| $term::is_marked($term))*
            }

            unsafe fn begin_writes(($($term,)*): &mut Self::Rows) {
                $(
                    // SAFETY: the conditions are the same.
                    unsafe { $term::begin_writes($term) };
                )*
            }

            unsafe fn mark_rows(($($term,)*): Self::Rows, range: Range<usize>) {
                $(
                    // SAFETY: the conditions are the same.
                    unsafe { $term::mark_rows($term, range.clone()) };
                )*
            }

            fn borrow(archetype: &Archetype) -> Self::Borrow<'_> {
                ($($term::borrow(archetype),)*)
            }

            #[inline]
            unsafe fn item<'q>(
                world: &'q hecs::World,
                ($($term,)*): Self::Rows,
                row: usize,
            ) -> Self::Item<'q> {
                ($(
                    // SAFETY: the conditions are the same. The terms have different components if one of them writes.
                    unsafe { $term::item(world, $term, row) },
                )*)
            }

        }
    };
}

tuples!();
schedule::__for_each_tuple!(tuples);
