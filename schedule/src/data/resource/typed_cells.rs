//! The resources by type, in slots. A resource can be found by the slot in which it was before, without a hash table.

use core::any::TypeId;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::cell::ResourceCell;
use super::type_map::TypeMap;
use super::watched::Watched;
use crate::base::identity::Name;

/// The resources. `index` has the slot of each type.
#[derive(Default)]
pub(super) struct TypedCells {
    index: TypeMap<u32>,
    slots: Vec<TypedSlot>,
}

/// A resource.
struct TypedSlot {
    name: Name,
    cell: ResourceCell,
    /// Its versions, if it is watched.
    watched: OnceLock<Arc<Watched>>,
}

impl TypedSlot {
    /// The resource, to be written.
    #[inline]
    fn written(&mut self) -> &mut ResourceCell {
        if let Some(watched) = self.watched.get_mut() {
            watched.note_write();
        }
        &mut self.cell
    }
}

/// The slot of a resource when it was last looked up. It can be wrong: another resource may have taken the slot, or it may be a slot
/// of other `Resources`. So each use compares the type, and searches if it is another one.
#[derive(Debug, Default)]
pub struct SlotHint(AtomicU32);

impl TypedCells {
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn contains(&self, type_id: TypeId) -> bool {
        self.index.contains_key(&type_id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ResourceCell> {
        self.slots.iter().map(|slot| &slot.cell)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = Name> {
        self.slots.iter().map(|slot| slot.name)
    }

    #[inline]
    pub(super) fn get(&self, type_id: TypeId) -> Option<&ResourceCell> {
        let slot = *self.index.get(&type_id)?;
        Some(&self.slots[slot as usize].cell)
    }

    /// Counts as a write, if the resource is watched.
    #[inline]
    pub(super) fn get_mut(&mut self, type_id: TypeId) -> Option<&mut ResourceCell> {
        let slot = *self.index.get(&type_id)?;
        Some(self.slots[slot as usize].written())
    }

    /// Adds a resource. There must be none of this type. `watched`: its versions, if it is watched.
    pub(super) fn insert(&mut self, name: Name, cell: ResourceCell, watched: Option<Arc<Watched>>) {
        self.index.insert(cell.type_id(), self.slots.len() as u32);
        self.slots.push(TypedSlot {
            name,
            cell,
            watched: watched.map_or_else(OnceLock::new, OnceLock::from),
        });
    }

    /// Like [`get_mut`](Self::get_mut), but does not count as a write.
    pub(super) fn get_mut_unnoted(&mut self, type_id: TypeId) -> Option<&mut ResourceCell> {
        let slot = *self.index.get(&type_id)?;
        Some(&mut self.slots[slot as usize].cell)
    }

    /// Sets the versions of a resource, if it exists.
    pub(super) fn watch(&self, type_id: TypeId, watched: &Arc<Watched>) {
        if let Some(&slot) = self.index.get(&type_id) {
            let slot = &self.slots[slot as usize];
            slot.watched.get_or_init(|| Arc::clone(watched));
        }
    }

    /// Removes a resource. Also returns its versions, if it is watched.
    pub(super) fn remove(
        &mut self,
        type_id: TypeId,
    ) -> Option<(ResourceCell, Option<Arc<Watched>>)> {
        let slot = self.index.remove(&type_id)?;
        let removed = self.slots.swap_remove(slot as usize);
        if let Some(moved) = self.slots.get(slot as usize) {
            self.index.insert(moved.cell.type_id(), slot);
        }
        Some((removed.cell, removed.watched.into_inner()))
    }

    /// Removes all resources.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = ResourceCell> {
        self.index.clear();
        self.slots.drain(..).map(|slot| slot.cell)
    }

    /// The resource in the slot of a hint.
    #[inline]
    pub(super) fn hinted(&self, hint: &SlotHint) -> Option<&ResourceCell> {
        Some(&self.slots.get(hint.slot())?.cell)
    }

    /// Like [`hinted`](Self::hinted), mutable, if the resource has this type. Counts as a write, if it is watched.
    #[inline]
    pub(super) fn hinted_mut(
        &mut self,
        type_id: TypeId,
        hint: &SlotHint,
    ) -> Option<&mut ResourceCell> {
        let slot = self.slots.get_mut(hint.slot())?;
        (slot.cell.type_id() == type_id).then(|| slot.written())
    }

    /// Sets a hint to the slot of a type, if there is such a resource.
    #[inline]
    pub(super) fn update(&self, type_id: TypeId, hint: &SlotHint) {
        if self
            .hinted(hint)
            .is_none_or(|cell| cell.type_id() != type_id)
        {
            self.search(type_id, hint);
        }
    }

    #[cold]
    fn search(&self, type_id: TypeId, hint: &SlotHint) {
        if let Some(slot) = self.index.get(&type_id) {
            hint.0.store(*slot, Ordering::Relaxed);
        }
    }
}

impl SlotHint {
    #[inline]
    fn slot(&self) -> usize {
        // Relaxed: any number is allowed.
        self.0.load(Ordering::Relaxed) as usize
    }
}
