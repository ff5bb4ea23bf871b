//! Bytes that are not a store are errors.

use std::cell::Cell;

use proptest::prelude::*;
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotWriter};
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Guest, Seat};

/// The parts of a saved store, in their order.
struct Parts<K> {
    record_version: u32,
    is_freed: bool,
    has_default: bool,
    n_doubts: u32,
    n_places: u64,
    /// The key of each place, and the record.
    places: Vec<Option<(K, Option<u64>)>>,
    free: Vec<u32>,
}

impl<K: Serialize> Parts<K> {
    fn encode(&self) -> Vec<u8> {
        let mut to = Encoder::new();
        to.write(&(
            self.record_version,
            self.is_freed,
            self.has_default,
            self.n_doubts,
            self.n_places,
        ))
        .unwrap();
        for place in &self.places {
            match place {
                None => to.write(&0_u32),
                Some((key, None)) => to.write(&(1_u32, key)),
                Some((key, Some(record))) => to.write(&(2_u32, key, record)),
            }
            .unwrap();
        }
        self.free.iter().for_each(|place| to.write(place).unwrap());
        to.into_bytes()
    }

    /// Restores the store. Returns the keys of its records, or the reason of the error.
    fn restore<T: Record<Key = K> + Snapshot>(&self) -> Result<Vec<K>, String>
    where
        K: Clone,
        Records<T>: Snapshot,
    {
        let bytes = self.encode();
        let mut decoder = Decoder::new(&bytes);
        let store = decoder.restore::<Records<T>>(1);
        let store = store.and_then(|store| decoder.finish().map(|()| store));
        match store {
            Ok(store) => Ok(store.iter().map(|(key, _)| key.clone()).collect()),
            Err(error) => {
                let error = error.to_string();
                let (_, reason) = error.split_once("restored: ").ok_or(&error)?;
                let (reason, _) = reason.rsplit_once(", at byte ").ok_or(&error)?;
                Err(reason.to_string())
            }
        }
    }
}

/// Three places: one with a guest, one that is free, and one that is vacant.
fn guests() -> Parts<String> {
    Parts {
        record_version: 1,
        is_freed: true,
        has_default: false,
        n_doubts: 7,
        n_places: 3,
        places: vec![
            Some(("Ada".to_string(), Some(5))),
            None,
            Some(("Bob".to_string(), None)),
        ],
        free: vec![1],
    }
}

/// Two places: the seat 4, and the vacant seat 9.
fn seats() -> Parts<u16> {
    Parts {
        record_version: 1,
        is_freed: false,
        has_default: false,
        n_doubts: 7,
        n_places: 2,
        places: vec![Some((4, Some(5))), Some((9, None))],
        free: vec![],
    }
}

/// The reason why a store with this change is rejected.
fn guests_with(change: impl FnOnce(&mut Parts<String>)) -> String {
    let mut parts = guests();
    change(&mut parts);
    parts.restore::<Guest>().unwrap_err()
}

fn seats_with(change: impl FnOnce(&mut Parts<u16>)) -> String {
    let mut parts = seats();
    change(&mut parts);
    parts.restore::<Seat>().unwrap_err()
}

#[test]
fn hashed_store_with_wrong_places_is_an_error() {
    assert_eq!(guests().restore::<Guest>(), Ok(vec!["Ada".to_string()]));
    let ended = "the bytes end inside a value";
    assert_eq!(
        guests_with(|parts| parts.free[0] = 3),
        "place 3 does not exist"
    );
    assert_eq!(
        guests_with(|parts| parts.free[0] = 2),
        "free place 2 has a key"
    );
    assert_eq!(guests_with(|parts| parts.free.clear()), ended);
    assert_eq!(
        guests_with(|parts| parts.free.push(1)),
        "1 bytes follow the value"
    );
    let twice = |parts: &mut Parts<String>| {
        parts.places[2] = None;
        parts.free = vec![2, 2];
    };
    assert_eq!(guests_with(twice), "place 2 is free twice");
    let same_key = |parts: &mut Parts<String>| {
        parts.places[2] = Some(("Ada".to_string(), None));
    };
    assert_eq!(guests_with(same_key), "key \"Ada\" has two places");
    assert_eq!(guests_with(|parts| parts.n_places = 5), ended);
    assert_eq!(
        guests_with(|parts| parts.n_places = 1 << 32),
        "a store cannot have this number of places"
    );
}

#[test]
fn dense_store_with_wrong_places_is_an_error() {
    assert_eq!(seats().restore::<Seat>(), Ok(vec![4]));
    let at = |nth: usize, key: u16| {
        move |parts: &mut Parts<u16>| {
            parts.places[nth] = Some((key, None));
        }
    };
    assert_eq!(seats_with(at(1, 4)), "id 4 is not in ascending order");
    assert_eq!(seats_with(at(1, 3)), "id 3 is not in ascending order");
    assert_eq!(
        seats_with(at(1, 1000)),
        "id 1000 is above 999, the maximum id"
    );
    assert_eq!(
        seats_with(|parts| parts.places[0] = None),
        "a place without a key exists only for hashed keys"
    );
    assert_eq!(
        seats_with(|parts| parts.n_places = u64::MAX),
        "the bytes end inside a value"
    );
}

#[test]
fn store_of_another_program_is_an_error() {
    assert_eq!(
        guests_with(|parts| parts.is_freed = false),
        "the record had `id` when it was saved, and has `key` now: give it a new name"
    );
    assert_eq!(
        seats_with(|parts| parts.is_freed = true),
        "the record had `key` when it was saved, and has `id` now: give it a new name"
    );
    let error = guests_with(|parts| parts.record_version = 2);
    assert_eq!(
        error,
        "`guest` was saved in version 2, but this program has version 1: use a newer version of the program"
    );
}

/// A key that panics when it is cloned the second time.
#[derive(PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct Fragile(u32);

thread_local! {
    static N_CLONES: Cell<u32> = const { Cell::new(0) };
}

impl Clone for Fragile {
    fn clone(&self) -> Self {
        N_CLONES.set(N_CLONES.get() + 1);
        assert!(N_CLONES.get() < 2, "this key cannot be cloned");
        Self(self.0)
    }
}

#[derive(Record, Snapshot, Serialize, Deserialize)]
#[record(key = Fragile)]
#[snapshot(name = "vase")]
struct Vase;

#[test]
fn store_after_a_panic_of_a_key_cannot_be_saved() {
    let mut vases = Records::new();
    let insert = || vases.insert(Fragile(1), Vase);
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(insert))
        .err()
        .unwrap();
    let error = SnapshotWriter::new().section(&vases).err().unwrap();
    assert_eq!(
        error.to_string(),
        "`records<vase>` cannot be saved: a key panicked while it was added or removed"
    );
}

proptest! {
    /// Changed bytes are an error, or a store that is saved as these bytes.
    #[test]
    fn changed_stores_do_not_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        n_cut in 0..4_usize,
    ) {
        fn check<T: Record + Snapshot>(mut bytes: Vec<u8>, changes: &[(prop::sample::Index, u8)], n_cut: usize)
        where
            Records<T>: Snapshot,
        {
            for (at, to) in changes {
                let nth = at.index(bytes.len());
                bytes[nth] = *to;
            }
            bytes.truncate(bytes.len() - n_cut);
            let mut decoder = Decoder::new(&bytes);
            if let Ok(store) = decoder.restore::<Records<T>>(1)
                && decoder.finish().is_ok()
            {
                let mut encoder = Encoder::new();
                encoder.save(&store).unwrap();
                let again: Records<T> = Decoder::new(encoder.as_bytes()).restore(1).unwrap();
                let mut other = Encoder::new();
                other.save(&again).unwrap();
                assert_eq!(encoder.as_bytes(), other.as_bytes());
            }
        }
        check::<Guest>(guests().encode(), &changes, n_cut);
        check::<Seat>(seats().encode(), &changes, n_cut);
    }
}
