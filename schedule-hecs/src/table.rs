//! The archetypes of a world as tables, for `for_each` systems. A table of the core is an archetype of hecs.
//!
//! Invariant: that of [`column`](crate::column). A shared reference to a [`World`] gives no access to components. Only queries have
//! access, and their parameters declare it.
#![expect(unsafe_code, reason = "implements `EntityTables`")]

use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use hecs::Entity;
use schedule::Identity;
use schedule::entity::{
    ChangeClock, Component, EachEntity, EachParam, EntityTables, RefusedParam, RemovedLog,
    WatchedMarks,
};

use crate::column::BorrowedArchetype;
use crate::entities::Entities;
use crate::world::{World, WorldVersion};

/// An archetype of a [`World`], as the table of a `for_each` system.
pub struct WorldTable<'s, T> {
    archetype: BorrowedArchetype<'s>,
    /// The number of the archetype.
    idx: usize,
    entities: &'s Entities,
    tag: PhantomData<fn() -> T>,
}

impl<T> Clone for WorldTable<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for WorldTable<'_, T> {}

impl<T> fmt::Debug for WorldTable<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorldTable({} entities)", self.archetype.get().len())
    }
}

// SAFETY: hecs never removes or reorders archetypes. While a world is borrowed as shared, no entity or component is added or
// removed, so the columns stay. By the invariant, safe code has access to components only by declared parameters. hecs has one
// array for each component of an archetype, with a value for each entity. The version changes whenever an entity or component is
// added or removed.
unsafe impl<T: Identity + 'static> EntityTables for World<T> {
    type Itself = Self;
    type Entity = Entity;
    type Table<'s> = WorldTable<'s, T>;
    type Version = WorldVersion;

    const VERSION_COVERS_ROWS: bool = true;
    const HAS_MARKS: bool = true;

    fn watch<C: Component>(&self) -> &ChangeClock {
        self.entities_ref().watch(TypeId::of::<C>()).clock()
    }

    fn marks<'s, C: Component>(table: Self::Table<'s>) -> Option<WatchedMarks<'s>> {
        let changes = table.entities.changes(TypeId::of::<C>())?;
        // Other archetypes have no marks for their rows.
        Self::has::<C>(table).then(|| changes.marks(table.idx))?
    }

    fn removed<C: Component>(&self) -> &RemovedLog<Entity> {
        self.entities_ref().watch(TypeId::of::<C>()).removed()
    }

    #[inline]
    fn version(&self) -> WorldVersion {
        World::version(self)
    }

    fn n_tables(&self) -> usize {
        self.hecs().archetypes().len()
    }

    #[inline]
    fn table(&self, idx: usize) -> WorldTable<'_, T> {
        let archetype = BorrowedArchetype::nth(self.hecs(), idx);
        WorldTable {
            archetype: archetype.expect("the world has this archetype"),
            idx,
            entities: self.entities_ref(),
            tag: PhantomData,
        }
    }

    #[inline]
    fn n_rows(table: WorldTable<'_, T>) -> usize {
        table.archetype.get().len() as usize
    }

    fn has<C: Component>(table: WorldTable<'_, T>) -> bool {
        table.archetype.get().has::<C>()
    }

    #[inline]
    fn entity(table: WorldTable<'_, T>, row: usize) -> Entity {
        table.archetype.entity(row)
    }

    #[inline]
    unsafe fn entity_unchecked(table: WorldTable<'_, T>, row: usize) -> Entity {
        // SAFETY: the caller guarantees that the archetype has this row.
        unsafe { table.archetype.entity_unchecked(row) }
    }

    fn column<C: Component>(table: WorldTable<'_, T>) -> Option<NonNull<C>> {
        table.archetype.column()
    }
}

impl<T: Identity + 'static> EachParam<World<T>> for Entity {
    type State = EachEntity;
    const EACH: EachEntity = EachEntity;
}

#[diagnostic::do_not_recommend]
impl<S: EntityTables, T: Identity + 'static> EachParam<S> for &World<T> {
    type State = RefusedParam<&'static World<T>>;
    const EACH: Self::State = RefusedParam::NEW;
}

#[diagnostic::do_not_recommend]
impl<S: EntityTables, T: Identity + 'static> EachParam<S> for &mut World<T> {
    type State = RefusedParam<&'static mut World<T>>;
    const EACH: Self::State = RefusedParam::NEW;
}
