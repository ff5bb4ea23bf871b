//! Stores in snapshots.
//!
//! Saved is everything that the results of later events depend on: the places with their keys, also those without a record,
//! the order of free places, and the number of doubts. The bytes depend only on this state. Two stores with equal content
//! have equal bytes, however their events were divided into calls. So the backlogs are not saved: when `free_all` frees
//! places, it frees all that have a key but no record, and sorts them. These are exactly the vacant places after `restore`.

use fixedbitset::FixedBitSet;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Records;
use crate::base::index::Index;
use crate::store::record::Record;
use schedule::snapshot::{ComposedName, Decoder, Encoder, Schema, Snapshot, SnapshotError};

/// The fields before the places.
#[derive(Serialize, Deserialize)]
struct StoreHead {
    /// The version of the records.
    record_version: u32,
    /// Whether the index reuses places for other keys.
    is_freed: bool,
    /// Whether missing records have a default.
    has_default: bool,
    n_doubts: u32,
    /// The number of all places, or of those with a key if no place is reused.
    n_places: u64,
}

/// A saved place. The key and the record follow.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum SavedPlace {
    /// A place without a key.
    Free,
    /// A place with a key and without a record.
    Vacant,
    /// A place with a key and a record.
    Full,
}

/// Saves the records and their order. A restored store iterates in the same order, and later events have the same results.
///
/// The types of the key and of the index have no versions: if one of them changes, give the record a new name. A changed key is an
/// error.
///
/// A store that was created with [`Records::or_default`] can only be restored into such a store, because the default is not
/// saved.
impl<T> Snapshot for Records<T>
where
    T: Record + Snapshot,
    T::Key: Serialize + DeserializeOwned,
{
    const NAME: &'static str =
        const { ComposedName::new("records", <T as Snapshot>::NAME) }.as_str();
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        let is_freed = T::Index::IS_FREED;
        let n_with_key = self.places.n_with_key();
        if is_freed && n_with_key + self.free.len() != self.n_places as usize {
            return Err(to.error("a key panicked while it was added or removed"));
        }
        to.write(&StoreHead {
            record_version: T::VERSION,
            is_freed,
            has_default: self.absent.is_some(),
            n_doubts: self.n_doubts,
            n_places: if is_freed {
                self.n_places.into()
            } else {
                n_with_key as u64
            },
        })?;
        if is_freed {
            for place in 0..self.n_places {
                self.save_place(place, to)?;
            }
            self.free.iter().try_for_each(|place| to.write(place))
        } else {
            let mut places = self.places.with_key();
            places.try_for_each(|place| self.save_place(place, to))
        }
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let head = Self::read_head(from)?;
        if head.has_default {
            Err(from.error(
                "the store was created with `Records::or_default`: restore it into such a store with `restore_into`",
            ))
        } else {
            Self::read_places(&head, from)
        }
    }

    fn schema() -> Schema {
        let parts = [
            ("key", Schema::of::<T::Key>()),
            ("record", Schema::of_saved::<T>()),
        ];
        Schema::of_parts("Records", parts)
    }

    fn restore_into(&mut self, from: &mut Decoder<'_>) -> Result<(), SnapshotError> {
        let head = Self::read_head(from)?;
        match (head.has_default, self.absent.is_some()) {
            (true, false) => {
                return Err(from.error(
                    "the store was created with `Records::or_default`, but this one was not: create it with `or_default`",
                ));
            }
            (false, true) => {
                return Err(from.error(
                    "the store was not created with `Records::or_default`, but this one was: create it with `new`",
                ));
            }
            _ => {}
        }
        let restored = Self::read_places(&head, from)?;
        let absent = self.absent.take();
        *self = Self { absent, ..restored };
        Ok(())
    }
}

impl<T> Records<T>
where
    T: Record + Snapshot,
    T::Key: Serialize + DeserializeOwned,
{
    fn save_place(&self, place: u32, to: &mut Encoder) -> Result<(), SnapshotError> {
        let Some(key) = self.places.key(place) else {
            return to.write(&SavedPlace::Free);
        };
        match self.places.get(place) {
            None => {
                to.write(&SavedPlace::Vacant)?;
                to.write(key)
            }
            Some(record) => {
                to.write(&SavedPlace::Full)?;
                to.write(key)?;
                to.save(record)
            }
        }
    }

    fn read_head(from: &mut Decoder<'_>) -> Result<StoreHead, SnapshotError> {
        let head: StoreHead = from.read()?;
        let option = |is_freed| if is_freed { "key" } else { "id" };
        let (found, expected) = (option(head.is_freed), option(T::Index::IS_FREED));
        if found != expected {
            return Err(from.error(format_args!(
                "the record had `{found}` when it was saved, and has `{expected}` now: give it a new name"
            )));
        }
        if head.is_freed && head.n_places > u32::MAX.into() {
            return Err(from.error("a store cannot have this number of places"));
        }
        Ok(head)
    }

    /// Reads a store without a default.
    fn read_places(head: &StoreHead, from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let mut store = Self::new();
        let mut n_free = 0;
        for nth in 0..head.n_places {
            match (from.read()?, T::Index::IS_FREED) {
                (SavedPlace::Free, true) => n_free += 1,
                (SavedPlace::Free, false) => {
                    return Err(from.error("a place without a key exists only for hashed keys"));
                }
                (SavedPlace::Vacant, _) => {
                    let place = store.read_key(nth as u32, from)?;
                    if T::Index::IS_FREED {
                        store.vacant.add(place);
                    }
                }
                (SavedPlace::Full, _) => {
                    let place = store.read_key(nth as u32, from)?;
                    let record = from.restore(head.record_version)?;
                    let value = store.places.value_mut(place);
                    *value.expect("`read_key` has created this place") = Some(record);
                    store.places.count(place);
                }
            }
        }
        if T::Index::IS_FREED {
            store.n_places = head.n_places as u32;
        }
        let mut is_free = FixedBitSet::new();
        for _ in 0..n_free {
            let place: u32 = from.read()?;
            if place >= store.n_places {
                return Err(from.error(format_args!("place {place} does not exist")));
            }
            if store.places.has_key(place) {
                return Err(from.error(format_args!("free place {place} has a key")));
            }
            is_free.grow(place as usize + 1);
            if is_free.put(place as usize) {
                return Err(from.error(format_args!("place {place} is free twice")));
            }
            store.free.push(place);
        }
        store.n_doubts = head.n_doubts;
        Ok(store)
    }

    /// Reads the key of the next place, and creates the place. `nth`: its index, if places are reused for other keys.
    fn read_key(&mut self, nth: u32, from: &mut Decoder<'_>) -> Result<u32, SnapshotError> {
        let key: T::Key = from.read()?;
        if let Some(id) = self.number(&key) {
            if id > T::MAX_ID {
                let max_id = T::MAX_ID;
                return Err(from.error(format_args!("id {id} is above {max_id}, the maximum id")));
            }
            if id < self.n_places || self.places.has_key(id) {
                return Err(from.error(format_args!("id {id} is not in ascending order")));
            }
        } else if self.index.find(&key).is_some() {
            return Err(from.error(format_args!("key {key:?} has two places")));
        }
        let place = self.index.add(&key, nth, &mut Vec::new());
        self.n_places = place.saturating_add(1);
        self.places.make(place, || key);
        Ok(place)
    }
}
