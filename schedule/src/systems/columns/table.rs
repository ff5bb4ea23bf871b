//! A store of columns as the table of `for_each` systems.
//!
//! Invariant: entities are added and removed only through an exclusive reference to the store, which counts these changes.
#![expect(
    unsafe_code,
    reason = "promises that the addresses of columns are valid"
)]

use core::ptr::NonNull;

use super::id::EntityId;
use super::kind::EntityKind;
use super::store::{Columns, ColumnsVersion};
use crate::data::entity::{
    ChangeClock, Component, ComponentId, EachEntity, EachParam, EntityTables, RemovedLog,
    WatchedMarks,
};

// SAFETY: the store is its only table. By the invariant, rows and columns stay while it is borrowed as shared, and the version
// changes with them. `ColumnMut::swap` exchanges two columns that a system may write, and changes the version. A column is an array in
// an allocation that the store owns, by the contract of `ColumnSet`, and `find` checks that it has a value for each row. Values are
// accessed by the invariants of `column` and `terms`: as declared parameters, or while the store is borrowed exclusively.
unsafe impl<K: EntityKind> EntityTables for Columns<K> {
    type Itself = Self;
    type Entity = EntityId<K>;
    type Table<'s> = &'s Self;
    type Version = ColumnsVersion;

    const VERSION_COVERS_ROWS: bool = true;
    const COMPONENTS: Option<&'static [ComponentId<Self>]> = Some(K::COMPONENTS);
    const HAS_MARKS: bool = true;

    fn watch<C: Component>(&self) -> &ChangeClock {
        Columns::watch::<C>(self)
    }

    fn marks<'s, C: Component>(table: Self::Table<'s>) -> Option<WatchedMarks<'s>> {
        table.find::<C>()?.marks()
    }

    fn removed<C: Component>(&self) -> &RemovedLog<EntityId<K>> {
        Columns::removed(self)
    }

    #[inline]
    fn version(&self) -> ColumnsVersion {
        Columns::version(self)
    }

    #[inline]
    fn n_tables(&self) -> usize {
        1
    }

    #[inline]
    fn table(&self, idx: usize) -> &Self {
        assert_eq!(idx, 0, "the store is its only table");
        self
    }

    #[inline]
    fn n_rows(table: &Self) -> usize {
        table.len()
    }

    fn has<C: Component>(table: &Self) -> bool {
        table.find::<C>().is_some()
    }

    #[inline]
    fn entity(table: &Self, row: usize) -> EntityId<K> {
        table.ids()[row]
    }

    fn column<C: Component>(table: &Self) -> Option<NonNull<C>> {
        Some(table.find()?.address())
    }
}

impl<K: EntityKind> EachParam<Columns<K>> for EntityId<K> {
    type State = EachEntity;
    const EACH: EachEntity = EachEntity;
}
