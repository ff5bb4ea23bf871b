//! The ids of a store as lists, to be saved.

use core::num::NonZeroU32;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{EntityId, IdSlot, Ids, NO_ROW};

/// The ids of a store. Each slot from 0 on is in one of the lists.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Ids")]
pub(in crate::systems::columns) struct IdLists {
    /// By row: the slot and the generation of the entity.
    rows: Vec<(u32, NonZeroU32)>,
    /// The slots for new entities, with the generations that these will have. The last one is used first.
    free: Vec<(u32, NonZeroU32)>,
    /// The slots whose generations are all used, in ascending order.
    retired: Vec<u32>,
}

impl IdLists {
    pub(in crate::systems::columns) fn of<K>(ids: &Ids<K>) -> Self {
        let generation = |idx: u32| ids.slots[idx as usize].generation;
        let free = ids.free.iter().map(|&idx| (idx, generation(idx)));
        let mut is_used = vec![false; ids.slots.len()];
        let used = ids
            .of_row
            .iter()
            .map(|id| id.slot)
            .chain(ids.free.iter().copied());
        for idx in used.filter(|_| !ids.slots.is_empty()) {
            is_used[idx as usize] = true;
        }
        let slots = (0..).zip(is_used);
        Self {
            rows: ids.of_row.iter().map(|id| id.key()).collect(),
            free: free.collect(),
            retired: slots
                .filter_map(|(idx, is_used)| (!is_used).then_some(idx))
                .collect(),
        }
    }

    /// Returns the number of entities.
    pub(in crate::systems::columns) fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Returns the ids.
    ///
    /// # Errors
    ///
    /// Fails with a reason if a slot is missing, or if it is in the lists twice.
    pub(in crate::systems::columns) fn restore<K>(self) -> Result<Ids<K>, &'static str> {
        let Self {
            rows,
            free,
            retired,
        } = self;
        let n_slots = rows.len() + free.len() + retired.len();
        if n_slots >= NO_ROW as usize {
            return Err("a store of columns has fewer than 2^32 - 1 ids");
        }
        let row_of = |row: usize| row as u32;
        let in_rows = rows.iter().enumerate();
        let in_rows = in_rows.map(|(row, &(idx, generation))| (idx, generation, row_of(row)));
        let in_free = free
            .iter()
            .map(|&(idx, generation)| (idx, generation, NO_ROW));
        let in_retired = retired.iter().map(|&idx| (idx, NonZeroU32::MAX, NO_ROW));
        let mut slots = vec![None; n_slots];
        for (idx, generation, row) in in_rows.chain(in_free).chain(in_retired) {
            let slot = slots.get_mut(idx as usize);
            let slot = slot.ok_or("a slot of an id is not less than the number of slots")?;
            if slot.replace(IdSlot { generation, row }).is_some() {
                return Err("two ids have the same slot");
            }
        }
        let is_first =
            |(row, id): (usize, &(u32, NonZeroU32))| *id == (row_of(row), NonZeroU32::MIN);
        let are_first = n_slots == rows.len() && rows.iter().enumerate().all(is_first);
        Ok(Ids {
            of_row: rows
                .into_iter()
                .map(|(slot, generation)| EntityId::new(slot, generation))
                .collect(),
            slots: if are_first {
                Vec::new()
            } else {
                // There are as many different slots as places for them.
                slots.into_iter().flatten().collect()
            },
            free: free.into_iter().map(|(idx, _)| idx).collect(),
        })
    }
}

/// Serializes the slot and the generation.
impl<K> Serialize for EntityId<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.key().serialize(serializer)
    }
}

impl<'de, K> Deserialize<'de> for EntityId<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (slot, generation) = Deserialize::deserialize(deserializer)?;
        Ok(Self::new(slot, generation))
    }
}
