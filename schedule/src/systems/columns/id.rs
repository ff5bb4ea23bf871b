//! The ids of entities, and the rows in which the entities are.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::num::NonZeroU32;

/// The id of an entity in [`Columns<K>`](struct@super::Columns).
///
/// An id stays the same while its entity moves to other rows. It belongs to one entity: after the entity is despawned, the id
/// finds nothing, also if its number is used for a new entity. An id is valid only for the store that returned it, and for copies of this
/// store. A store and its copy later give equal ids to different entities.
pub struct EntityId<K> {
    /// The index of the slot.
    slot: u32,
    /// Distinguishes the entities that have had this slot. The first one has 1.
    generation: NonZeroU32,
    kind: PhantomData<fn() -> K>,
}

impl<K> Clone for EntityId<K> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for EntityId<K> {}

impl<K> EntityId<K> {
    /// Returns the id as a number. Different ids of a kind have different numbers.
    ///
    /// The upper 32 bits are the generation, which begins with 1, and the lower ones are the slot: the id `7v2` is `0x2_0000_0007`. This is
    /// so in all versions of this crate. Ids depend only on the order in which entities were spawned, despawned and sorted, so a simulation can
    /// derive random numbers from them: see [`random`](crate::random).
    ///
    /// ```
    /// # use schedule::columns::Columns;
    /// # use schedule::entity::Component;
    /// # #[derive(Component)]
    /// # struct Position(f32);
    /// # #[derive(Columns)]
    /// # struct Bird { position: Position }
    /// let mut birds = Columns::new();
    /// let eagle = birds.spawn(Bird { position: Position(0.0) });
    /// assert_eq!(eagle.to_bits(), 0x1_0000_0000);
    /// ```
    #[inline]
    pub const fn to_bits(self) -> u64 {
        (self.generation.get() as u64) << 32 | self.slot as u64
    }

    /// Returns the id with this number, see [`to_bits`](Self::to_bits). `None` if its generation would be 0.
    ///
    /// An id that a store did not return finds nothing there, or an entity that the store will create.
    #[inline]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        match NonZeroU32::new((bits >> 32) as u32) {
            Some(generation) => Some(Self::new(bits as u32, generation)),
            None => None,
        }
    }

    const fn new(slot: u32, generation: NonZeroU32) -> Self {
        Self {
            slot,
            generation,
            kind: PhantomData,
        }
    }

    fn key(self) -> (u32, NonZeroU32) {
        (self.slot, self.generation)
    }
}

impl<K> PartialEq for EntityId<K> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<K> Eq for EntityId<K> {}

impl<K> PartialOrd for EntityId<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for EntityId<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<K> Hash for EntityId<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// Shows the number of the slot and the generation, as in `7v2`.
impl<K> fmt::Debug for EntityId<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.slot, self.generation)
    }
}

/// The ids of all entities of a store, by row, and the row of each id.
///
/// Until the first despawn or sort, the slot of each id is its row, and `slots` is empty. An id takes 8 bytes per row until then, and 16 afterwards.
pub(super) struct Ids<K> {
    /// `of_row[row]`: the id of the entity in the row.
    of_row: Vec<EntityId<K>>,
    /// `slots[id.slot]`: the slot of an id. Empty while each entity is the first one of its slot, and the slot is the row.
    slots: Vec<IdSlot>,
    /// The slots for new entities. The last one is used first.
    free: Vec<u32>,
}

/// A number that one entity after the other has as its id.
#[derive(Clone, Copy)]
struct IdSlot {
    /// The generation of the entity, or of the next one.
    generation: NonZeroU32,
    /// The row of the entity, or `NO_ROW`.
    row: u32,
}

const NO_ROW: u32 = u32::MAX;

impl<K> Clone for Ids<K> {
    fn clone(&self) -> Self {
        Self {
            of_row: self.of_row.clone(),
            slots: self.slots.clone(),
            free: self.free.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.of_row.clone_from(&source.of_row);
        self.slots.clone_from(&source.slots);
        self.free.clone_from(&source.free);
    }
}

impl<K> Ids<K> {
    pub(super) const fn new() -> Self {
        Self {
            of_row: Vec::new(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Returns the ids by row.
    #[inline]
    pub(super) fn by_row(&self) -> &[EntityId<K>] {
        &self.of_row
    }

    /// Returns the row of an id, if its entity exists.
    #[inline]
    pub(super) fn row(&self, id: EntityId<K>) -> Option<usize> {
        if self.slots.is_empty() {
            let is_first = id.generation == NonZeroU32::MIN;
            return (is_first && (id.slot as usize) < self.of_row.len())
                .then_some(id.slot as usize);
        }
        let slot = self.slots.get(id.slot as usize)?;
        (slot.generation == id.generation && slot.row != NO_ROW).then_some(slot.row as usize)
    }

    /// Returns the number of slots.
    fn n_slots(&self) -> usize {
        if self.slots.is_empty() {
            self.of_row.len()
        } else {
            self.slots.len()
        }
    }

    /// Reserves memory for more ids.
    ///
    /// # Panics
    ///
    /// Panics if there are too many entities.
    pub(super) fn reserve(&mut self, n_more: usize) {
        let n_rows = self.of_row.len().saturating_add(n_more);
        let n_slots = (self.n_slots() - self.free.len()).saturating_add(n_more);
        assert!(
            n_rows.max(n_slots) < NO_ROW as usize,
            "too many entities: a store of columns holds fewer than 2^32 - 1"
        );
        self.of_row.reserve(n_more);
        if !self.slots.is_empty() {
            self.slots.reserve(n_more.saturating_sub(self.free.len()));
        }
    }

    /// Returns the id of a new entity in a new row. `reserve` has reserved its memory.
    #[inline]
    pub(super) fn push(&mut self) -> EntityId<K> {
        let row = self.of_row.len() as u32;
        let (slot, generation) = if self.slots.is_empty() {
            (row, NonZeroU32::MIN)
        } else {
            self.take_slot(row)
        };
        let id = EntityId::new(slot, generation);
        self.of_row.push(id);
        id
    }

    /// Gives a slot to a row. Returns it with its generation.
    #[inline]
    fn take_slot(&mut self, row: u32) -> (u32, NonZeroU32) {
        if let Some(idx) = self.free.pop() {
            let slot = &mut self.slots[idx as usize];
            slot.row = row;
            return (idx, slot.generation);
        }
        self.slots.push(IdSlot {
            generation: NonZeroU32::MIN,
            row,
        });
        (self.slots.len() as u32 - 1, NonZeroU32::MIN)
    }

    /// Removes the row of an entity, and moves the last row there. Returns the row, or `None` if the entity does not exist.
    pub(super) fn swap_remove(&mut self, id: EntityId<K>) -> Option<usize> {
        let row = self.row(id)?;
        self.fill_slots();
        self.of_row.swap_remove(row);
        if let Some(moved) = self.of_row.get(row) {
            self.slots[moved.slot as usize].row = row as u32;
        }
        self.release(id.slot);
        Some(row)
    }

    /// Removes all rows. New entities get the slots in the order of the rows.
    pub(super) fn clear(&mut self) {
        self.fill_slots();
        while let Some(id) = self.of_row.pop() {
            self.release(id.slot);
        }
    }

    /// Moves all rows: `by_row[new_row]` is the row before.
    pub(super) fn reorder(&mut self, by_row: &[u32]) {
        self.fill_slots();
        let ids = by_row.iter().map(|row| self.of_row[*row as usize]);
        self.of_row = ids.collect();
        for (row, id) in self.of_row.iter().enumerate() {
            self.slots[id.slot as usize].row = row as u32;
        }
    }

    /// Creates the slots, before a row differs from its slot.
    #[inline]
    fn fill_slots(&mut self) {
        if self.slots.is_empty() {
            self.slots.reserve(self.of_row.capacity());
            let rows = 0..self.of_row.len() as u32;
            self.slots.extend(rows.map(|row| IdSlot {
                generation: NonZeroU32::MIN,
                row,
            }));
        }
    }

    /// Returns the ids of another kind with the same slots and generations.
    pub(super) fn of_kind<L>(self) -> Ids<L> {
        let ids = self.of_row.into_iter();
        Ids {
            of_row: ids
                .map(|id| EntityId::new(id.slot, id.generation))
                .collect(),
            slots: self.slots,
            free: self.free,
        }
    }

    /// Makes a slot free, unless all of its generations are used.
    fn release(&mut self, idx: u32) {
        let slot = &mut self.slots[idx as usize];
        slot.row = NO_ROW;
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(idx);
        }
    }
}

#[cfg(any(feature = "serde", feature = "snapshot"))]
mod lists;

#[cfg(any(feature = "serde", feature = "snapshot"))]
pub(super) use self::lists::IdLists;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_without_a_next_generation_is_not_used_again() {
        let mut ids = Ids::<()>::new();
        ids.reserve(2);
        let first = ids.push();
        ids.fill_slots();
        ids.slots[0].generation = NonZeroU32::MAX;
        let last = EntityId {
            generation: NonZeroU32::MAX,
            ..first
        };
        ids.of_row[0] = last;
        assert_eq!(ids.row(last), Some(0));
        assert_eq!(ids.swap_remove(last), Some(0));
        assert_eq!(ids.row(last), None);
        assert_eq!(format!("{:?}", ids.push()), "1v1");
        assert_eq!(ids.row(last), None);
    }

    #[test]
    #[should_panic(expected = "too many entities")]
    fn the_number_of_entities_is_limited() {
        Ids::<()>::new().reserve(NO_ROW as usize);
    }

    #[test]
    fn slots_take_memory_only_after_a_row_differs_from_its_slot() {
        let mut ids = Ids::<()>::new();
        ids.reserve(4);
        let all = [(); 4].map(|()| ids.push());
        assert_eq!((ids.slots.capacity(), size_of_val(&all)), (0, 32));
        assert_eq!(all.map(|id| ids.row(id)), [0, 1, 2, 3].map(Some));
        let stale = EntityId {
            generation: NonZeroU32::MIN.saturating_add(1),
            ..all[1]
        };
        let later = EntityId { slot: 4, ..all[1] };
        assert_eq!([ids.row(stale), ids.row(later)], [None; 2]);
        ids.reorder(&[2, 0, 3, 1]);
        assert_eq!(all.map(|id| ids.row(id)), [1, 3, 0, 2].map(Some));
        assert_eq!([ids.row(stale), ids.row(later)], [None; 2]);
        assert_eq!(size_of_val(&*ids.slots), 32);
    }

    #[test]
    fn the_bits_of_an_id_are_its_generation_and_its_slot() {
        let mut ids = Ids::<()>::new();
        ids.reserve(2);
        ids.push();
        let first = ids.push();
        assert_eq!(first.to_bits(), 0x1_0000_0001);
        ids.swap_remove(first);
        assert_eq!(ids.push().to_bits(), 0x2_0000_0001);
        let last = EntityId {
            slot: u32::MAX,
            generation: NonZeroU32::MAX,
            ..first
        };
        assert_eq!(last.to_bits(), u64::MAX);
    }

    #[test]
    fn an_optional_id_has_the_size_of_an_id() {
        assert_eq!(size_of::<Option<EntityId<String>>>(), 8);
    }
}
