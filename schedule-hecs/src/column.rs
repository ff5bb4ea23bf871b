//! Columns: the values of one component in one archetype, by address.
//!
//! Invariant: hecs stores the values of a component of an archetype in one allocation, row by row. The allocation moves only
//! if entities or components are added or removed. `World` counts these changes, so an address that was looked up is valid
//! as long as the count is the same. Nothing here checks borrows: the schedule is verified, so no two systems that conflict
//! run at the same time. With debug assertions, or with the feature `check-borrows`, a query also takes the borrows that hecs
//! checks at run time.
#![expect(unsafe_code, reason = "turns addresses of rows into references")]

use core::any::TypeId;
use core::ops::Range;
use core::ptr::NonNull;

use hecs::{Archetype, Component, ComponentRef, Entity, EntityRef};
use schedule::entity::MarksAddress;
use schedule::param::Mut;

use crate::entities::Entities;

/// The address of the first value of a column.
pub struct Rows<C>(NonNull<C>);

impl<C> Clone for Rows<C> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Rows<C> {}

impl<C> core::fmt::Debug for Rows<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

// SAFETY: it is an address of values that are `Send`, and only functions that are unsafe to call turn it into references.
unsafe impl<C: Component> Send for Rows<C> {}

// SAFETY: it is an address of values that are `Sync`, and only functions that are unsafe to call turn it into references.
unsafe impl<C: Component> Sync for Rows<C> {}

impl<C: Component> Rows<C> {
    /// The address of a column without rows.
    pub(crate) const NONE: Self = Self(NonNull::dangling());

    /// Looks up the column of an archetype. Returns `None` if the archetype has no entity or not this component.
    pub(crate) fn find(world: &hecs::World, archetype: &Archetype) -> Option<Self> {
        BorrowedArchetype::new(world, archetype).column().map(Self)
    }

    /// Returns the value of a row, to read.
    ///
    /// # Safety
    ///
    /// The column has this row, and was looked up since the last change of entities. No exclusive reference to the value is in
    /// use during `'q`.
    #[inline]
    pub(crate) unsafe fn get<'q>(self, row: usize) -> &'q C {
        // SAFETY: the caller guarantees that the row is in the column.
        let value = unsafe { self.0.add(row) };
        // SAFETY: the address is valid by the invariant, and the caller guarantees that nothing writes the value.
        unsafe { value.as_ref() }
    }

    /// Returns the value of a row, to write.
    ///
    /// # Safety
    ///
    /// The column has this row, and was looked up since the last change of entities. No other reference to the value is in use
    /// during `'q`.
    #[inline]
    pub(crate) unsafe fn get_mut<'q>(self, row: usize) -> &'q mut C {
        // SAFETY: the caller guarantees that the row is in the column.
        let mut value = unsafe { self.0.add(row) };
        // SAFETY: the address is valid by the invariant, and the caller guarantees that nothing else accesses the value.
        unsafe { value.as_mut() }
    }
}

/// A column that a query writes, and its marks if the component is watched.
pub struct WrittenRows<C> {
    pub(crate) values: Rows<C>,
    pub(crate) marks: Option<MarksAddress>,
}

impl<C> Clone for WrittenRows<C> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for WrittenRows<C> {}

impl<C> core::fmt::Debug for WrittenRows<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.values.fmt(f)
    }
}

impl<C: Component> WrittenRows<C> {
    /// A column without rows.
    pub(crate) const NONE: Self = Self {
        values: Rows::NONE,
        marks: None,
    };

    /// Looks up the column of an archetype, as [`Rows::find`].
    pub(crate) fn find(entities: &Entities, archetype: &Archetype, idx: usize) -> Option<Self> {
        let values = Rows::find(entities.hecs(), archetype)?;
        let changes = entities.changes(TypeId::of::<C>());
        let marks = changes.and_then(|changes| changes.marks(idx));
        Some(Self {
            values,
            marks: marks.map(MarksAddress::new),
        })
    }

    /// Starts a write.
    ///
    /// # Safety
    ///
    /// The column was looked up since the last change of entities.
    pub(crate) unsafe fn begin_write(&mut self) {
        if let Some(marks) = &mut self.marks {
            // SAFETY: the address is valid by the invariant.
            unsafe { marks.begin_write() };
        }
    }

    /// Marks rows that are written, or of which single ones may be.
    ///
    /// # Safety
    ///
    /// As for [`begin_write`](Self::begin_write). The column has these rows.
    pub(crate) unsafe fn mark_rows(self, rows: Range<usize>, are_written: bool) {
        if let Some(marks) = self.marks {
            // SAFETY: the address is valid by the invariant.
            unsafe { marks.mark_rows(rows, are_written) };
        }
    }

    /// Returns the value of a row, to write. A write is marked.
    ///
    /// # Safety
    ///
    /// As for [`Rows::get_mut`].
    #[inline]
    pub(crate) unsafe fn get_mut<'q>(self, row: usize) -> Mut<'q, C> {
        // SAFETY: the conditions are the same.
        let value = unsafe { self.values.get_mut(row) };
        match self.marks {
            None => Mut::new(value),
            Some(marks) => {
                // SAFETY: the address is valid by the invariant. Only the holder of the value has its mark.
                let (mark, now) = unsafe { marks.row_mut(row) };
                Mut::marked(value, mark, now)
            }
        }
    }
}

/// The ids of the entities of an archetype.
#[derive(Clone, Copy, Debug)]
pub struct EntityRows {
    ids: NonNull<[u32]>,
}

// SAFETY: it is an address of numbers, and only functions that are unsafe to call read them.
unsafe impl Send for EntityRows {}

// SAFETY: as for `Send`.
unsafe impl Sync for EntityRows {}

impl EntityRows {
    /// The ids of no entities.
    pub(crate) const NONE: Self = Self {
        ids: NonNull::slice_from_raw_parts(NonNull::dangling(), 0),
    };

    pub(crate) fn new(archetype: &Archetype) -> Self {
        Self {
            ids: NonNull::from(archetype.ids()),
        }
    }

    /// Returns the entity of a row.
    ///
    /// # Safety
    ///
    /// The archetype is one of this world, has this row, and was looked up since the last change of entities.
    #[inline]
    pub(crate) unsafe fn get(self, world: &hecs::World, row: usize) -> Entity {
        // SAFETY: the address is valid, because entities have not changed.
        let ids = unsafe { self.ids.as_ref() };
        // SAFETY: the ids of an archetype are those of live entities.
        unsafe { world.find_entity_from_id(ids[row]) }
    }
}

/// An archetype of a world, for as long as the world is borrowed.
#[derive(Clone, Copy)]
pub(crate) struct BorrowedArchetype<'w> {
    world: &'w hecs::World,
    archetype: &'w Archetype,
    ids: &'w [u32],
}

// SAFETY: the archetype is a part of the world, which is `Sync`, and its methods change only borrow flags, which are atomic.
unsafe impl Send for BorrowedArchetype<'_> {}

// SAFETY: as for `Send`.
unsafe impl Sync for BorrowedArchetype<'_> {}

impl<'w> BorrowedArchetype<'w> {
    /// Returns the archetype with this number, if it exists.
    #[inline]
    pub(crate) fn nth(world: &'w hecs::World, idx: usize) -> Option<Self> {
        let archetype = world.archetypes().nth(idx)?;
        Some(Self::new(world, archetype))
    }

    /// The archetype is one of this world.
    #[inline]
    fn new(world: &'w hecs::World, archetype: &'w Archetype) -> Self {
        Self {
            world,
            archetype,
            ids: archetype.ids(),
        }
    }

    #[inline]
    pub(crate) fn get(self) -> &'w Archetype {
        self.archetype
    }

    /// Returns the address of the first value of a column. Returns `None` if the archetype has no entity or not this component.
    pub(crate) fn column<C: Component>(self) -> Option<NonNull<C>> {
        if self.ids.is_empty() {
            return None;
        }
        address(self.world, self.entity(0))
    }

    /// Returns the entity of a row.
    #[inline]
    pub(crate) fn entity(self, row: usize) -> Entity {
        assert!(row < self.ids.len(), "the archetype has no such row");
        // SAFETY: the row exists.
        unsafe { self.entity_unchecked(row) }
    }

    /// Returns the entity of a row.
    ///
    /// # Safety
    ///
    /// The archetype has this row.
    #[inline]
    pub(crate) unsafe fn entity_unchecked(self, row: usize) -> Entity {
        // SAFETY: the caller guarantees that the row exists.
        let id = unsafe { *self.ids.get_unchecked(row) };
        // SAFETY: the archetype is one of this world, so its ids are those of live entities. The world is borrowed since.
        unsafe { self.world.find_entity_from_id(id) }
    }
}

/// Adds the entities of an archetype of a world to a list, by row.
pub(crate) fn add_entities(world: &hecs::World, archetype: &Archetype, to: &mut Vec<Entity>) {
    let archetype = BorrowedArchetype::new(world, archetype);
    to.extend((0..archetype.ids.len()).map(|row| archetype.entity(row)));
}

/// Returns the address of a component of an entity.
pub(crate) fn address<C: Component>(world: &hecs::World, entity: Entity) -> Option<NonNull<C>> {
    // SAFETY: the result is an address and no reference, so it does not matter which references exist.
    let address = unsafe { world.get_unchecked::<Address<C>>(entity) };
    address.ok().map(|address| address.0)
}

/// The address of a component, as hecs returns references.
struct Address<C>(NonNull<C>);

impl<C: Component> ComponentRef<'_> for Address<C> {
    type Ref = ();
    type Column = ();
    type Component = C;

    fn get_component(_: EntityRef<'_>) -> Option<()> {
        None
    }

    unsafe fn from_raw(raw: *mut C) -> Self {
        Self(NonNull::new(raw).expect("hecs stores no component at the null address"))
    }

    fn get_column(_: &Archetype) -> Option<()> {
        None
    }
}

/// Whether queries take the borrows that hecs checks at run time.
pub(crate) const CHECKS_BORROWS: bool = cfg!(any(debug_assertions, feature = "check-borrows"));
