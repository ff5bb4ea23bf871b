//! Systems that run for each entity of a store of columns.

use schedule::Executor;
use schedule::columns::{ColumnRef, Columns, EntityId};
use schedule::entity::{Component, ForEachError, Row};
use schedule::error::Cause;
use schedule::prelude::*;

use super::{Hunger, Position, Villager, resources, rows, villager, villagers};

#[derive(Resource)]
struct Step(i64);

#[system(for_each = Columns<Villager>)]
fn walk(position: &mut Position, hunger: Option<&mut Hunger>, #[resource] step: &Step) {
    position.0 += step.0;
    hunger.unwrap().0 += 1;
}

#[test]
fn a_system_runs_for_each_row() {
    let mut resources = resources(0..100);
    resources.insert(Step(5));
    let mut schedule = Schedule::builder().add::<walk>().build().unwrap();
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        schedule.set_executor(executor);
        schedule.run(&mut resources).unwrap();
    }
    for (row, (_, position, hunger)) in (0..).zip(rows(&mut resources)) {
        assert_eq!((position, hunger), (row + 15, 3));
    }
}

/// A system keeps the addresses of columns from run to run.
#[test]
fn a_system_sees_rows_that_are_added_moved_and_removed_between_runs() {
    let mut resources = resources([1]);
    resources.insert(Step(1));
    let mut schedule = Schedule::builder().add::<walk>().build().unwrap();
    schedule.run(&mut resources).unwrap();
    let first = villagers(&mut resources).ids()[0];
    villagers(&mut resources).extend((10..200).map(villager));
    schedule.run(&mut resources).unwrap();
    villagers(&mut resources).despawn(first).unwrap();
    schedule.run(&mut resources).unwrap();
    let found = rows(&mut resources);
    assert_eq!(found.len(), 190);
    assert_eq!((found[0].1, found[0].2), (201, 2));
    assert_eq!((found[1].1, found[1].2), (12, 2));
    villagers(&mut resources).clear();
    schedule.run(&mut resources).unwrap();
    villagers(&mut resources).spawn(villager(7));
    schedule.run(&mut resources).unwrap();
    assert_eq!(rows(&mut resources)[0].1, 8);
}

/// Both stores have had the same changes.
#[test]
fn a_system_sees_another_store_in_the_place_of_the_first() {
    let mut first = resources([1, 2]);
    first.insert(Step(1));
    let mut schedule = Schedule::builder().add::<walk>().build().unwrap();
    schedule.run(&mut first).unwrap();
    let other: Columns<Villager> = [30, 40].map(villager).into_iter().collect();
    let mut replaced = first.insert(other).unwrap();
    schedule.run(&mut first).unwrap();
    let positions: Vec<_> = rows(&mut first).iter().map(|row| row.1).collect();
    assert_eq!(positions, [31, 41]);
    assert_eq!(*replaced.column::<Position>(), [Position(2), Position(3)]);
    core::mem::swap(&mut replaced, villagers(&mut first));
    schedule.run(&mut first).unwrap();
    let positions: Vec<_> = rows(&mut first).iter().map(|row| row.1).collect();
    assert_eq!(positions, [3, 4]);
}

#[derive(Component)]
struct Prey(EntityId<Villager>);

#[derive(Component)]
struct Place(Option<i64>);

#[derive(Columns)]
struct Wolf {
    prey: Prey,
    place: Place,
}

#[system(for_each = Columns<Wolf>)]
fn hunt(
    prey: &Prey,
    place: &mut Place,
    Row(row): Row,
    wolf: EntityId<Wolf>,
    positions: ColumnRef<Villager, Position>,
    #[resource] wolves: &Columns<Wolf>,
) {
    assert_eq!(wolves.row(wolf), Some(row));
    place.0 = positions.by_id(prey.0).map(|position| position.0);
}

#[test]
fn a_system_finds_entities_of_another_store_by_their_ids() {
    let mut resources = resources([10, 20, 30]);
    let ids = villagers(&mut resources).ids().to_vec();
    villagers(&mut resources).despawn(ids[1]).unwrap();
    let reused = villagers(&mut resources).spawn(villager(99));
    let wolf = |prey: &EntityId<Villager>| Wolf {
        prey: Prey(*prey),
        place: Place(None),
    };
    let wolves: Columns<Wolf> = ids.iter().chain([&reused]).map(wolf).collect();
    resources.insert(wolves);
    let mut schedule = Schedule::builder().add::<hunt>().build().unwrap();
    schedule.run(&mut resources).unwrap();
    let wolves = resources.get_mut::<Columns<Wolf>>().unwrap();
    let places = wolves.column::<Place>();
    let places: Vec<_> = places.iter().map(|place| place.0).collect();
    assert_eq!(places, [Some(10), None, Some(30), Some(99)]);
}

#[test]
fn a_system_runs_while_another_one_reads_its_kind_by_ids() {
    #[system(for_each = Columns<Villager>)]
    fn starve(
        hunger: &mut Hunger,
        villager: EntityId<Villager>,
        places: ColumnRef<Villager, Position>,
    ) {
        hunger.0 = places.by_id(villager).unwrap().0 - 1;
    }

    let mut resources = resources([5, 6]);
    let mut schedule = Schedule::builder().add::<starve>().build().unwrap();
    schedule.run(&mut resources).unwrap();
    let hungers: Vec<_> = rows(&mut resources).iter().map(|row| row.2).collect();
    assert_eq!(hungers, [4, 5]);
}

#[test]
fn a_failure_names_the_first_entity_by_its_id() {
    #[system(for_each = Columns<Villager>)]
    fn check(position: &Position) -> Result<(), String> {
        match position.0 {
            0..=9 => Ok(()),
            outside => Err(format!("{outside} is outside")),
        }
    }

    let mut resources = resources([1, 10, 2, 11]);
    let id = villagers(&mut resources).ids()[1];
    let mut schedule = Schedule::builder().add::<check>().build().unwrap();
    let error = schedule.run(&mut resources).unwrap_err();
    let Cause::Error(error) = &error.failures()[0].cause else {
        panic!("the system returns an error");
    };
    let error = error
        .downcast_ref::<ForEachError<EntityId<Villager>>>()
        .unwrap();
    assert_eq!((error.entity(), error.n_failed()), (&id, 2));
    let text = error.to_string();
    assert_eq!(text, "2 entities failed, the first is 1v1: 10 is outside");
}
