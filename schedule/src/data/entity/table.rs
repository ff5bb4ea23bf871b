//! Tables of entities, as `for_each` systems read them.
#![expect(unsafe_code, reason = "the trait promises valid addresses of columns")]

use core::fmt::Debug;
use core::ptr::NonNull;

use super::marks::{ChangeClock, WatchedMarks};
use super::{Component, ComponentId, EntityStore, RemovedLog};

/// A store that keeps its entities in tables. `#[system(for_each)]` needs it.
///
/// All entities with the same component types are the rows of one table, which `schedule-hecs` calls an archetype. A table has a
/// column for each component. Systems run for the entities table by table and row by row, so the order of both must not depend on timing.
///
/// The entity type should also implement [`EachParam`](super::EachParam), so that systems can take it as a parameter.
///
/// # Safety
///
/// Systems turn addresses of columns into references to single values, on several threads at once. So for as long as a store
/// is borrowed as shared:
///
/// - `table` returns the same table for the same number, and a different table for a different number.
/// - The columns of a table and its number of rows do not change. Only a system that writes two columns may exchange their addresses,
///   which changes the version.
/// - Only holders of addresses from [`column`](Self::column) access the values of components. No other safe code reads or
///   writes them, or creates a reference to them.
///
/// The comments on `column`, `Version` and `VERSION_COVERS_ROWS` state the other conditions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the store of a `for_each` system",
    label = "does not keep entities in tables",
    note = "write `for_each` for the `World` of `schedule-hecs`, `for_each = World<Tag>` for one with a tag, `for_each = Columns<K>` for entities of the kind `K`, or implement `EntityTables` for `{Self}`"
)]
pub unsafe trait EntityTables: EntityStore + Sized {
    /// `Self`. Generated code names the store by it. If a type is not a store, the compiler cannot determine `Itself`, so it
    /// reports only that.
    type Itself: EntityTables;

    /// The id of an entity.
    type Entity: Copy + Debug + Send + Sync + 'static;

    /// A table. Tables of different stores must have different types.
    type Table<'s>: Copy + Send + Sync;

    /// See [`version`](Self::version).
    type Version: PartialEq + Send + 'static;

    /// Whether equal versions also mean that no row was added, removed or moved in between, and that no column moved. A system
    /// then looks up its columns only when the version has changed. Otherwise, it looks them up in each run.
    const VERSION_COVERS_ROWS: bool = false;

    /// All components that entities of this store can have, if the type of the store determines them. A `for_each` system that
    /// names another component does not compile.
    const COMPONENTS: Option<&'static [ComponentId<Self>]> = None;

    /// Whether the store keeps marks of changes. Without them, no filter can test for changes.
    #[doc(hidden)]
    const HAS_MARKS: bool = false;

    /// Begins to keep marks of a component, unless the store does so already. Returns the clock of the component.
    ///
    /// If it begins, the version changes.
    #[doc(hidden)]
    fn watch<C: Component>(&self) -> &ChangeClock {
        unreachable!("a filter of changes is refused if the store keeps no marks")
    }

    /// Returns the marks of a component in a table, if the table has it and it is watched. They stay at the same address until the
    /// version changes, and have the rows of the table.
    #[doc(hidden)]
    fn marks<'s, C: Component>(table: Self::Table<'s>) -> Option<WatchedMarks<'s>> {
        let _ = table;
        None
    }

    /// Returns the entities that lost a component.
    #[doc(hidden)]
    fn removed<C: Component>(&self) -> &RemovedLog<Self::Entity> {
        unreachable!("`Removed` is refused if the store keeps no marks")
    }

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

    /// As [`entity`](Self::entity), without a check of the row.
    ///
    /// # Safety
    ///
    /// The table has this row.
    #[inline]
    unsafe fn entity_unchecked(table: Self::Table<'_>, row: usize) -> Self::Entity {
        Self::entity(table, row)
    }

    /// Returns the address of the first value of a column, if the table has it. The result is not specified for a table
    /// without rows.
    ///
    /// The address is that of an array of [`n_rows`](Self::n_rows) values, one for each row, which overlaps with no other
    /// column. It is valid for reads and writes for as long as the store is borrowed as shared. The method creates no
    /// reference to a value.
    fn column<C: Component>(table: Self::Table<'_>) -> Option<NonNull<C>>;
}

/// The position of an entity in its table, as a parameter of a `for_each` system. The rows of each table are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(pub usize);
