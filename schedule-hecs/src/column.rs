//! Columns: the values of one component in one archetype.
//!
//! Invariant: a column holds a borrow of all values of its component in its archetype, shared to read or exclusive to write.
//! hecs checks this borrow at run time. The values do not move while the world is borrowed. So the address of row i is valid
//! for as long as the column exists, if i is less than the length of the archetype.
#![expect(unsafe_code, reason = "turns addresses of rows into references")]
#![expect(
    missing_debug_implementations,
    reason = "the module is hidden, and only public because traits mention its types"
)]

use core::ptr::NonNull;

use hecs::{Archetype, ArchetypeColumn, ArchetypeColumnMut, Entity};
use schedule::entity::Component;

/// The values of a component, to read.
pub struct ReadColumn<'w, C: Component> {
    first: NonNull<C>,
    _borrow: ArchetypeColumn<'w, C>,
}

/// The values of a component, to write.
pub struct WriteColumn<'w, C: Component> {
    first: NonNull<C>,
    _borrow: ArchetypeColumnMut<'w, C>,
}

/// The ids of the entities of an archetype.
#[derive(Clone, Copy)]
pub struct EntityColumn<'w> {
    world: &'w hecs::World,
    ids: &'w [u32],
}

/// The address of the first value of a column to read.
pub struct ReadRows<C>(NonNull<C>);

/// The address of the first value of a column to write.
pub struct WriteRows<C>(NonNull<C>);

impl<C> Clone for ReadRows<C> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for ReadRows<C> {}

impl<C> Clone for WriteRows<C> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for WriteRows<C> {}

// SAFETY: it is an address of a value that is `Sync`, and only `get`, which is unsafe to call, turns it into references.
unsafe impl<C: Component> Send for ReadRows<C> {}

// SAFETY: as for `Send`.
unsafe impl<C: Component> Sync for ReadRows<C> {}

// SAFETY: it is an address of a value that is `Send`, and only `get`, which is unsafe to call, turns it into references.
unsafe impl<C: Component> Send for WriteRows<C> {}

// SAFETY: as for `Send`.
unsafe impl<C: Component> Sync for WriteRows<C> {}

// SAFETY: it borrows values that are `Send` and `Sync`, and the borrow counters of hecs are atomic.
unsafe impl<C: Component> Send for ReadColumn<'_, C> {}

// SAFETY: as for `Send`.
unsafe impl<C: Component> Sync for ReadColumn<'_, C> {}

// SAFETY: it borrows values that are `Send` and `Sync`, and the borrow counters of hecs are atomic.
unsafe impl<C: Component> Send for WriteColumn<'_, C> {}

// SAFETY: as for `Send`.
unsafe impl<C: Component> Sync for WriteColumn<'_, C> {}

impl<'w, C: Component> ReadColumn<'w, C> {
    /// Borrows a column, if the archetype has it.
    ///
    /// # Panics
    ///
    /// If it is borrowed exclusively.
    pub(crate) fn new(archetype: &'w Archetype) -> Option<Self> {
        let borrow = archetype.get::<&C>()?;
        Some(Self {
            first: NonNull::from(&*borrow).cast(),
            _borrow: borrow,
        })
    }

    #[inline]
    pub(crate) fn rows(&self) -> ReadRows<C> {
        ReadRows(self.first)
    }
}

impl<'w, C: Component> WriteColumn<'w, C> {
    /// Borrows a column exclusively, if the archetype has it.
    ///
    /// # Panics
    ///
    /// If it is borrowed.
    pub(crate) fn new(archetype: &'w Archetype) -> Option<Self> {
        let mut borrow = archetype.get::<&mut C>()?;
        Some(Self {
            first: NonNull::from(&mut *borrow).cast(),
            _borrow: borrow,
        })
    }

    #[inline]
    pub(crate) fn rows(&self) -> WriteRows<C> {
        WriteRows(self.first)
    }
}

impl<C: Component> ReadRows<C> {
    /// Returns the value of a row.
    ///
    /// # Safety
    ///
    /// The column exists for `'q`, and has this row.
    #[inline]
    pub(crate) unsafe fn get<'q>(self, row: usize) -> &'q C {
        // SAFETY: the caller guarantees that the row is in the column.
        let value = unsafe { self.0.add(row) };
        // SAFETY: the column holds a shared borrow of the value for `'q`.
        unsafe { value.as_ref() }
    }
}

impl<C: Component> WriteRows<C> {
    /// Returns the value of a row.
    ///
    /// # Safety
    ///
    /// The column exists for `'q`, and has this row. No other reference to the row is in use during `'q`.
    #[inline]
    pub(crate) unsafe fn get<'q>(self, row: usize) -> &'q mut C {
        // SAFETY: the caller guarantees that the row is in the column.
        let mut value = unsafe { self.0.add(row) };
        // SAFETY: the column holds an exclusive borrow of the value for `'q`, and the caller guarantees that this is the
        // only reference that comes from it.
        unsafe { value.as_mut() }
    }
}

impl<'w> EntityColumn<'w> {
    pub(crate) fn new(world: &'w hecs::World, archetype: &'w Archetype) -> Self {
        Self {
            world,
            ids: archetype.ids(),
        }
    }

    /// Returns the entity of a row.
    #[inline]
    pub(crate) fn get(self, row: usize) -> Entity {
        let id = self.ids[row];
        // SAFETY: the ids of an archetype are those of live entities, and the world is borrowed, so none is removed.
        unsafe { self.world.find_entity_from_id(id) }
    }
}

/// Returns a component of an entity, to read.
///
/// # Safety
///
/// No exclusive reference to the component of this entity is in use while the result exists.
pub(crate) unsafe fn get<C: Component>(world: &hecs::World, entity: Entity) -> Option<&C> {
    // SAFETY: the caller guarantees that no exclusive reference to the component is in use.
    unsafe { world.get_unchecked::<&C>(entity) }.ok()
}

/// Returns a component of an entity, to write.
///
/// # Safety
///
/// No other reference to the component of this entity is in use during `'q`.
#[expect(
    clippy::mut_from_ref,
    clippy::needless_lifetimes,
    reason = "the caller guarantees that the reference is exclusive for `'q`"
)]
pub(crate) unsafe fn get_mut<'q, C: Component>(
    world: &'q hecs::World,
    entity: Entity,
) -> Option<&'q mut C> {
    // SAFETY: the caller guarantees that no other reference to the component is in use.
    unsafe { world.get_unchecked::<&mut C>(entity) }.ok()
}
