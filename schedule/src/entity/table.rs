//! Tables of entities, as `for_each` systems read them.

use core::fmt::{self, Debug};
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use super::{Component, EntityStore};

/// A store that keeps its entities in tables. `#[system(for_each)]` needs it.
///
/// All entities with the same component types are the rows of one table, which `schedule-hecs` calls an archetype. A table has a
/// column for each component. Systems run for the entities table by table and row by row, so the order of both must not depend on timing.
///
/// The entity type should also implement [`EachParam`](super::EachParam), so that systems can take it as a parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the store of a `for_each` system",
    label = "does not keep entities in tables",
    note = "write `for_each = World<Tag>` for a `World` of `schedule-hecs`, or implement `EntityTables` for `{Self}`"
)]
pub trait EntityTables: EntityStore {
    /// `Self`. Generated code names the store by it. If a type is not a store, the compiler cannot determine `Itself`, so it
    /// reports only that.
    type Itself: EntityTables;

    /// The id of an entity.
    type Entity: Copy + Debug + Send + Sync + 'static;

    /// A table. Tables of different stores must have different types.
    type Table<'s>: Copy;

    /// A column, borrowed to read. Its length is the number of rows.
    type Column<'s, C: Component>: Deref<Target = [C]>;

    /// A column, borrowed to write. Its length is the number of rows.
    type ColumnMut<'s, C: Component>: DerefMut<Target = [C]>;

    /// See [`version`](Self::version).
    type Version: PartialEq + Send + 'static;

    /// Returns the version of the tables. Two versions are equal only if they are of the same store, and if no table was added or
    /// removed in between.
    fn version(&self) -> Self::Version;

    /// Returns the number of tables.
    fn n_tables(&self) -> usize;

    /// Returns a table. They are numbered from 0, in the order of creation.
    ///
    /// # Panics
    ///
    /// Panics if `idx` is not less than [`n_tables`](Self::n_tables).
    fn table(&self, idx: usize) -> Self::Table<'_>;

    /// Returns the number of entities in a table.
    fn n_rows(table: Self::Table<'_>) -> usize;

    /// Whether a table has a column for `C`.
    fn has<C: Component>(table: Self::Table<'_>) -> bool;

    /// Returns the entity in a row of a table.
    ///
    /// # Panics
    ///
    /// Panics if `row` is not less than the number of rows.
    fn entity(table: Self::Table<'_>, row: usize) -> Self::Entity;

    /// Borrows a column to read, if the table has it.
    ///
    /// The caller proves by `permit` that its access is verified. An implementation may check the borrow nevertheless, and
    /// panic.
    fn column<'s, C: Component>(
        table: Self::Table<'s>,
        permit: Permit<'s, Self, &'static C>,
    ) -> Option<Self::Column<'s, C>>;

    /// Borrows a column to write, if the table has it. As for [`column`](Self::column).
    fn column_mut<'s, C: Component>(
        table: Self::Table<'s>,
        permit: Permit<'s, Self, &'static mut C>,
    ) -> Option<Self::ColumnMut<'s, C>>;
}

/// The permission to access the components `Q` of the entities in a table of `S`, once.
///
/// Only the loop of a `for_each` system creates one, for the components that the parameters of the system declare. So a
/// reference to a store gives no access to components.
pub struct Permit<'s, S: ?Sized, Q>(
    PhantomData<&'s ()>,
    PhantomData<fn() -> Q>,
    PhantomData<fn() -> *const S>,
);

impl<'s, S: ?Sized, Q> Permit<'s, S, Q> {
    /// Creates a permit. The caller has declared the access.
    #[inline]
    pub(super) const fn new() -> Self {
        Self(PhantomData, PhantomData, PhantomData)
    }

    /// Returns the permit for a part of `Q`. The caller takes each part once.
    #[inline]
    pub(super) const fn part<P>(&self) -> Permit<'s, S, P> {
        Permit::new()
    }
}

impl<S: ?Sized, Q> Debug for Permit<'_, S, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Permit")
    }
}

/// The position of an entity in its table, as a parameter of a `for_each` system. The rows of each table are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(pub usize);
