//! Stores that are cloned, saved and serialized, with all ids.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use schedule::columns::{Buffer, Columns, EntityId};
use schedule::entity::Component;
use schedule::prelude::*;
use schedule::snapshot::{
    Decoder, Encoder, Snapshot, SnapshotError, SnapshotReader, SnapshotWriter,
};
use serde::{Deserialize, Serialize};

use super::{Hunger, Position, Villager, resources, villager};

/// The bytes of a store, without name and checksum.
pub(super) fn bytes_of(store: &Columns<Villager>) -> Vec<u8> {
    let mut encoder = Encoder::new();
    store.save(&mut encoder).unwrap();
    encoder.into_bytes()
}

fn of_bytes(bytes: &[u8]) -> Result<Columns<Villager>, SnapshotError> {
    let mut decoder = Decoder::new(bytes);
    let store = Columns::restore(&mut decoder)?;
    decoder.finish()?;
    Ok(store)
}

/// All entities of a store by row.
fn entities(store: &mut Columns<Villager>) -> Vec<(EntityId<Villager>, i64)> {
    let ids = store.ids().to_vec();
    let values = store.column::<Position>();
    assert_eq!(values.len(), ids.len());
    let positions = values.iter().map(|position| position.0);
    ids.into_iter().zip(positions).collect()
}

/// A store in a naive form.
#[derive(Default)]
struct NaiveStore {
    /// By row: slot, generation and position.
    rows: Vec<(u32, u32, i64)>,
    /// The generation of the next or current entity of each slot.
    generations: Vec<u32>,
    free: Vec<u32>,
}

impl NaiveStore {
    fn spawn(&mut self, position: i64) {
        let slot = self.free.pop().unwrap_or(self.generations.len() as u32);
        if slot as usize == self.generations.len() {
            self.generations.push(1);
        }
        let generation = self.generations[slot as usize];
        self.rows.push((slot, generation, position));
    }

    fn despawn(&mut self, row: usize) {
        let (slot, generation, _) = self.rows.swap_remove(row);
        self.generations[slot as usize] = generation + 1;
        self.free.push(slot);
    }
}

#[derive(Clone, Debug)]
enum Step {
    Spawn(i64),
    Despawn(usize),
    Sort(i64),
    Clear,
    Clone,
    CloneFrom,
    Snapshot,
    Json,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_i64..50).prop_map(Step::Spawn),
        4 => (0_usize..50).prop_map(Step::Despawn),
        1 => (1_i64..9).prop_map(Step::Sort),
        1 => Just(Step::Clear),
        1 => Just(Step::Clone),
        1 => Just(Step::CloneFrom),
        1 => Just(Step::Snapshot),
        1 => Just(Step::Json),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 512 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn copies_and_restored_stores_give_the_same_ids(steps in prop::collection::vec(step(), 0..80)) {
        let mut store = Columns::new();
        let mut other: Columns<Villager> = [7, 8, 9].map(villager).into_iter().collect();
        let mut naive = NaiveStore::default();
        let mut gone = Vec::new();
        for step in &steps {
            match *step {
                Step::Spawn(position) => {
                    store.spawn(villager(position));
                    naive.spawn(position);
                }
                Step::Despawn(nth) if !naive.rows.is_empty() => {
                    let row = nth % naive.rows.len();
                    let id = store.ids()[row];
                    prop_assert!(store.despawn(id).is_some());
                    naive.despawn(row);
                    gone.push(id);
                }
                Step::Despawn(_) => {}
                Step::Sort(modulus) => {
                    store.sort_by_key::<&Position, _>(|position| position.0 % modulus);
                    naive.rows.sort_by_key(|row| row.2 % modulus);
                }
                Step::Clear => {
                    gone.extend(store.ids());
                    store.clear();
                    while !naive.rows.is_empty() {
                        naive.despawn(naive.rows.len() - 1);
                    }
                }
                Step::Clone => store = store.clone(),
                Step::CloneFrom => {
                    other.clone_from(&store);
                    std::mem::swap(&mut store, &mut other);
                }
                Step::Snapshot => store = of_bytes(&bytes_of(&store)).unwrap(),
                Step::Json => {
                    let text = serde_json::to_string(&store).unwrap();
                    store = serde_json::from_str(&text).unwrap();
                }
            }
            let found = entities(&mut store);
            let expected: Vec<_> = naive.rows.iter().map(|&(slot, generation, position)| {
                let bits = u64::from(generation) << 32 | u64::from(slot);
                (EntityId::from_bits(bits).unwrap(), position)
            }).collect();
            prop_assert_eq!(&found, &expected);
            for (row, (id, _)) in found.iter().enumerate() {
                prop_assert_eq!(store.row(*id), Some(row));
            }
            for id in &gone {
                prop_assert_eq!(store.row(*id), None);
            }
        }
        prop_assert_eq!(bytes_of(&store), bytes_of(&store.clone()));
    }

    #[test]
    fn changed_bytes_are_an_error_or_another_store(
        n_spawned in 0_i64..20,
        despawned in prop::collection::vec(0_usize..20, 0..8),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        len in any::<prop::sample::Index>(),
    ) {
        let mut store: Columns<Villager> = (0..n_spawned).map(villager).collect();
        for row in despawned {
            if let Some(&id) = store.ids().get(row) {
                store.despawn(id);
            }
        }
        let mut bytes = bytes_of(&store);
        let is_cut = of_bytes(&bytes[..len.index(bytes.len())]);
        prop_assert!(is_cut.is_err());
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(mut store) = of_bytes(&bytes) {
            let all = entities(&mut store);
            for (row, (id, _)) in all.iter().enumerate() {
                prop_assert_eq!(store.row(*id), Some(row));
            }
            let new = store.spawn(villager(1));
            prop_assert!(all.iter().all(|(id, _)| *id != new));
        }
    }
}

/// Lists of ids as in the bytes of a store: rows, free and retired slots.
type Lists = (Vec<(u32, u32)>, Vec<(u32, u32)>, Vec<u32>);

#[test]
fn lists_of_ids_that_contradict_each_other_are_errors() {
    let restored = |rows: &[(u32, u32)], free: &[(u32, u32)], retired: &[u32]| {
        let mut encoder = Encoder::new();
        let lists: Lists = (rows.to_vec(), free.to_vec(), retired.to_vec());
        encoder.write(&lists).unwrap();
        for _ in 0..2 {
            encoder.write(&1_u32).unwrap();
            rows.iter().for_each(|_| encoder.write(&5_i64).unwrap());
        }
        of_bytes(encoder.as_bytes())
    };
    let error = |rows: &[(u32, u32)], free: &[(u32, u32)], retired: &[u32]| {
        restored(rows, free, retired).unwrap_err().to_string()
    };
    let twice = "two ids have the same slot";
    assert!(error(&[(0, 1), (0, 2)], &[], &[]).contains(twice));
    assert!(error(&[(0, 1)], &[(0, 2)], &[]).contains(twice));
    assert!(error(&[(0, 1)], &[], &[0]).contains(twice));
    let greater = "a slot of an id is not less than the number of slots";
    assert!(error(&[(1, 1)], &[], &[]).contains(greater));
    assert!(error(&[], &[(u32::MAX, 1)], &[]).contains(greater));
    assert!(
        restored(&[(0, 0)], &[], &[]).is_err(),
        "generations begin with 1"
    );

    // Slot 0 was used up, slot 2 is free.
    let mut store = restored(&[(1, 3)], &[(2, 9)], &[0]).unwrap();
    assert_eq!(store.ids()[0].to_bits(), 3 << 32 | 1);
    let new = [(); 2].map(|()| store.spawn(villager(0)).to_bits());
    assert_eq!(new, [9 << 32 | 2, 1 << 32 | 3]);
    let again = of_bytes(&bytes_of(&store)).unwrap();
    assert_eq!(again.ids(), store.ids());
    assert_eq!(bytes_of(&again), bytes_of(&store));
}

#[test]
fn bytes_do_not_depend_on_how_a_state_came_about() {
    let plain: Columns<Villager> = (0..4).map(villager).collect();
    let mut sorted: Columns<Villager> = (0..4).map(villager).collect();
    sorted.sort_by_key::<&Position, _>(|position| -position.0);
    assert_ne!(bytes_of(&sorted), bytes_of(&plain));
    sorted.sort_by_key::<&Position, _>(|position| position.0);
    assert_eq!(bytes_of(&sorted), bytes_of(&plain));
}

/// The positions that have changed.
#[derive(Resource, Default)]
struct Changes(Vec<i64>);

#[system]
fn note(changed: MessageReader<Moved>, changes: &mut Changes) {
    changes.0.extend(changed.iter().map(|moved| moved.0));
}

#[derive(Message)]
struct Moved(i64);

#[system(for_each = Columns<Villager>, changed = Position)]
fn find(position: &Position, mut moved: MessageWriter<Moved>) {
    moved.write(Moved(position.0));
}

#[test]
fn watched_components_have_changed_in_a_copy() {
    let mut schedule = Schedule::builder()
        .add::<find>()
        .add::<note>()
        .order("find", "note")
        .build()
        .unwrap();
    let mut resources = resources([1, 2]);
    resources.insert_default::<Changes>();
    resources.insert_default::<Messages<Moved>>();
    let mut changes = |resources: &mut Resources| {
        schedule.run(resources).unwrap();
        std::mem::take(&mut resources.get_mut::<Changes>().unwrap().0)
    };
    assert_eq!(changes(&mut resources), [1, 2]);
    assert_eq!(changes(&mut resources), [0; 0]);
    let store = resources.get_mut::<Columns<Villager>>().unwrap();
    *store = store.clone();
    assert_eq!(changes(&mut resources), [1, 2]);
    let store = resources.get_mut::<Columns<Villager>>().unwrap();
    let copy = store.clone();
    store.clone_from(&copy);
    assert_eq!(changes(&mut resources), [1, 2]);
    assert_eq!(changes(&mut resources), [0; 0]);
}

/// Panics in some clones.
#[derive(Component, Debug)]
struct Fragile(usize);

static N_CLONES: AtomicUsize = AtomicUsize::new(0);

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert!(N_CLONES.fetch_add(1, Ordering::Relaxed) < 5, "too fragile");
        Self(self.0)
    }
}

#[derive(Columns)]
struct Glass {
    position: Position,
    fragile: Fragile,
}

#[test]
fn store_is_empty_if_a_component_panics_in_clone_from() {
    let glass = |nth: usize| Glass {
        position: Position(nth as i64),
        fragile: Fragile(nth),
    };
    let source: Columns<Glass> = (0..4).map(glass).collect();
    let mut store: Columns<Glass> = (0..3).map(glass).collect();
    let old = store.ids().to_vec();
    store.clone_from(&source);
    assert_eq!(store.len(), 4);
    let cloned = catch_unwind(AssertUnwindSafe(|| store.clone_from(&source)));
    assert!(cloned.is_err());
    assert_eq!(store.len(), 0);
    assert_eq!(store.column::<Position>().len(), 0);
    assert_eq!(store.column::<Fragile>().len(), 0);
    assert!(old.iter().all(|id| !store.contains(*id)));
    let new = store.spawn(glass(9));
    assert!(!old.contains(&new), "no id is given twice");
    assert_eq!(store.get_mut::<Fragile>(new).unwrap().0, 9);
}

/// A component that holds the id of another entity, and a buffer.
#[derive(Component, Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[snapshot(name = "leader")]
struct Leader(Option<EntityId<Follower>>);

#[derive(Columns)]
#[columns(name = "followers")]
struct Follower {
    leader: Leader,
    hunger: Hunger,
    next: Buffer<Hunger>,
}

#[test]
fn components_with_ids_and_buffers_are_saved() {
    let follower = |leader| Follower {
        leader: Leader(leader),
        hunger: Hunger(3),
        next: Buffer(Hunger(4)),
    };
    let mut store = Columns::new();
    let first = store.spawn(follower(None));
    let second = store.spawn(follower(Some(first)));
    store.despawn(first);
    let third = store.spawn(follower(Some(second)));
    let mut writer = SnapshotWriter::new();
    writer.section(&store).unwrap();
    writer.section(&third).unwrap();
    let bytes = writer.finish();
    let reader = SnapshotReader::new(&bytes).unwrap();
    let mut restored: Columns<Follower> = reader.restore().unwrap();
    assert_eq!(reader.restore::<EntityId<Follower>>().unwrap(), third);
    let leader = restored.get_mut::<Leader>(third).unwrap().0.unwrap();
    assert_eq!(leader, second);
    assert_eq!(
        *restored.get_mut::<Leader>(leader).unwrap(),
        Leader(Some(first))
    );
    assert!(!restored.contains(first));
    assert_eq!(restored.column::<Buffer<Hunger>>()[1].0, Hunger(4));
    let names: Vec<_> = reader
        .sections()
        .map(|section| section.name.to_string())
        .collect();
    assert_eq!(names, ["followers", "entity<followers>"]);
}

mod changed {
    use super::*;

    #[derive(Columns)]
    #[columns(name = "villagers")]
    pub(super) struct Villager {
        pub(super) position: Position,
    }

    #[derive(Columns)]
    #[columns(name = "villagers", version = 2)]
    pub(super) struct Later {
        pub(super) position: Position,
    }
}

#[test]
fn kind_with_other_components_is_an_error_that_names_them() {
    let mut writer = SnapshotWriter::new();
    let store: Columns<Villager> = (0..3).map(villager).collect();
    writer.section(&store).unwrap();
    let bytes = writer.finish();
    let reader = SnapshotReader::new(&bytes).unwrap();
    let error = reader.restore::<Columns<changed::Villager>>().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`hunger: a sequence`, and is missing now"),
        "{error}"
    );
    let error = reader.restore::<Columns<changed::Later>>().unwrap_err();
    assert!(
        matches!(
            error,
            SnapshotError::Version {
                found: 1,
                expected: 2,
                ..
            }
        ),
        "{error}"
    );
    let _ = (
        changed::Villager {
            position: Position(0),
        }
        .position,
        changed::Later {
            position: Position(0),
        }
        .position,
    );
}

#[test]
fn serialized_store_has_the_names_of_the_components() {
    let mut store: Columns<Villager> = [5, 6].map(villager).into_iter().collect();
    let first = store.ids()[0];
    store.despawn(first);
    let text = serde_json::to_string(&store).unwrap();
    assert_eq!(
        text,
        r#"{"ids":{"rows":[[1,1]],"free":[[0,2]],"retired":[]},"columns":{"position":[6],"hunger":[0]}}"#
    );
    let read = |text: &str| serde_json::from_str::<Columns<Villager>>(text);
    let error = |from: &str, to: &str| read(&text.replace(from, to)).unwrap_err().to_string();
    assert!(error("[6]", "[6,7]").contains("the column `position` does not have 1 rows"));
    assert!(error("\"hunger\"", "\"thirst\"").contains("missing field `hunger`"));
    assert!(error("\"hunger\"", "\"position\"").contains("duplicate field `position`"));
    assert!(error("[[0,2]]", "[[1,2]]").contains("two ids have the same slot"));
    let more = text.replace("\"position\"", "\"thirst\":[1,2],\"position\"");
    assert_eq!(read(&more).unwrap().ids(), store.ids());
}
