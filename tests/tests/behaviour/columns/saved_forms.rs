//! Forms of saved stores, and what systems find in copies.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schedule::columns::{Columns, EntityId};
use schedule::entity::{Component, Removed};
use schedule::prelude::*;
use schedule::snapshot::{Decoder, Encoder, Snapshot};
use serde::{Deserialize, Serialize};

use super::saved::bytes_of;
use super::{Hunger, Position, Villager, resources, villager};

/// A store with an entity in slot 1 of generation 3, the free slot 2 of generation 9, and the used-up slot 0.
fn with_used_up_slot() -> Columns<Villager> {
    let mut encoder = Encoder::new();
    let lists = (vec![(1_u32, 3_u32)], vec![(2_u32, 9_u32)], vec![0_u32]);
    encoder.write(&lists).unwrap();
    for _ in 0..2 {
        encoder.write(&1_u32).unwrap();
        encoder.write(&5_i64).unwrap();
    }
    Columns::restore(&mut Decoder::new(encoder.as_bytes())).unwrap()
}

/// The ids of the next two entities.
fn next_ids<K: schedule::columns::EntityKind>(
    store: &mut Columns<K>,
    entity: impl Fn() -> K,
) -> [u64; 2] {
    [(); 2].map(|()| store.spawn(entity()).to_bits())
}

#[derive(Columns)]
struct Ghost {
    position: Position,
}

#[test]
fn all_copies_keep_free_and_used_up_slots() {
    let store = with_used_up_slot();
    let text = serde_json::to_string(&store).unwrap();
    let expected = [9 << 32 | 2, 1 << 32 | 3];
    let mut other: Columns<Villager> = [1, 2].map(villager).into_iter().collect();
    other.clone_from(&store);
    for mut copy in [store.clone(), other, serde_json::from_str(&text).unwrap()] {
        assert_eq!(bytes_of(&copy), bytes_of(&store));
        assert_eq!(next_ids(&mut copy, || villager(0)), expected);
    }
    let mut ghosts = store.map(|Villager { position, .. }| Ghost { position });
    assert_eq!(ghosts.ids()[0].to_bits(), 3 << 32 | 1);
    assert_eq!(*ghosts.column::<Position>(), [Position(5)]);
    let ghost = || Ghost {
        position: Position(0),
    };
    assert_eq!(next_ids(&mut ghosts, ghost), expected);
}

#[test]
fn map_keeps_the_order_of_rows_and_drops_everything_if_it_panics() {
    let ghost = |Villager { position, .. }| Ghost { position };
    let mut ghosts = (0..5).map(villager).collect::<Columns<_>>().map(ghost);
    let positions: Vec<_> = ghosts
        .column::<Position>()
        .iter()
        .map(|one| one.0)
        .collect();
    assert_eq!(positions, [0, 1, 2, 3, 4]);
    let store: Columns<Villager> = (0..5).map(villager).collect();
    let mapped = catch_unwind(AssertUnwindSafe(|| {
        store.map(|villager| {
            assert!(villager.position.0 < 3, "too far");
            ghost(villager)
        })
    }));
    assert!(mapped.is_err());
}

#[derive(Component, Snapshot, Serialize, Deserialize, Debug, PartialEq)]
#[snapshot(name = "colour")]
struct Colour(u8);

#[derive(Columns)]
#[columns(name = "cars")]
struct Car {
    r#type: Colour,
}

#[test]
fn fields_have_their_names_without_the_prefix_of_raw_names() {
    let cars: Columns<Car> = [Car { r#type: Colour(3) }].into_iter().collect();
    let text = serde_json::to_string(&cars).unwrap();
    assert!(text.ends_with(r#""columns":{"type":[3]}}"#), "{text}");
    let difference = <Columns<Car>>::schema().compare(&<Columns<Villager>>::schema());
    let text = difference.unwrap_err().to_string();
    assert!(text.contains("`type") && !text.contains("r#"), "{text}");
}

#[test]
fn store_without_names_of_fields_is_read_in_their_order() {
    let read = |text: &str| serde_json::from_str::<Columns<Villager>>(text);
    let mut store = read("[[[[1,1],[0,4]],[],[]],[[6,7],[8,9]]]").unwrap();
    assert_eq!(store.ids()[1], EntityId::from_bits(4 << 32).unwrap());
    assert_eq!(*store.column::<Position>(), [6, 7].map(Position));
    assert_eq!(*store.column::<Hunger>(), [8, 9].map(Hunger));
    let error = read("[[[[0,1]],[],[]],[[6]]]").map(drop).unwrap_err();
    assert!(error.to_string().contains("invalid length 1"), "{error}");
}

#[derive(Resource, Default)]
struct Lost(Vec<EntityId<Villager>>);

#[system]
fn note_lost(removed: Removed<Position, Columns<Villager>>, lost: &mut Lost) {
    lost.0.extend(&removed);
}

#[test]
fn losses_before_a_copy_are_forgotten() {
    let mut schedule = Schedule::builder().add::<note_lost>().build().unwrap();
    let mut resources = resources([1, 2, 3]);
    resources.insert_default::<Lost>();
    let mut lost = |resources: &mut Resources| {
        schedule.run(resources).unwrap();
        std::mem::take(&mut resources.get_mut::<Lost>().unwrap().0)
    };
    assert!(lost(&mut resources).is_empty(), "the first look");
    let kept = resources.get::<Columns<Villager>>().unwrap().clone();
    let store = resources.get_mut::<Columns<Villager>>().unwrap();
    let [first, second] = [store.ids()[0], store.ids()[1]];
    store.despawn(first);
    store.clone_from(&kept);
    assert!(
        lost(&mut resources).is_empty(),
        "the first look at the copy"
    );
    let store = resources.get_mut::<Columns<Villager>>().unwrap();
    store.despawn(second);
    assert_eq!(lost(&mut resources), [second]);
}

/// Panics when it is dropped, except while a thread unwinds.
#[derive(Component, Clone)]
struct Bomb(bool);

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!self.0 || std::thread::panicking(), "exploded");
    }
}

#[derive(Columns)]
struct Mine {
    position: Position,
    bomb: Bomb,
}

#[test]
fn store_is_empty_if_a_component_panics_while_it_is_replaced() {
    let mine = |is_armed| Mine {
        position: Position(1),
        bomb: Bomb(is_armed),
    };
    let source: Columns<Mine> = [false].map(mine).into_iter().collect();
    let mut store: Columns<Mine> = [true, false, true].map(mine).into_iter().collect();
    let old = store.ids().to_vec();
    let copied = catch_unwind(AssertUnwindSafe(|| store.clone_from(&source)));
    assert!(copied.is_err());
    assert!(store.is_empty() && old.iter().all(|id| !store.contains(*id)));
    store.clone_from(&source);
    assert_eq!(store.len(), 1);
    assert_eq!(*store.column::<Position>(), [Position(1)]);
}
