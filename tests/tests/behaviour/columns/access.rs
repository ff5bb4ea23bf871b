//! Which systems conflict, and on what.

use std::sync::Arc;

use schedule::access::ResourceId;
use schedule::columns::{ColumnMut, ColumnRef, Columns};
use schedule::dynamic::DynamicSystem;
use schedule::entity::{ComponentId, DeferredWrites, DynamicQuery};
use schedule::prelude::*;
use schedule::{Builder, Executor, Param};

use super::{Hunger, Position, Villager, resources, rows};
use schedule_tests::meeting::Meeting;
use schedule_tests::on::own_pool;

#[system]
fn read_positions(_: ColumnRef<Villager, Position>) {}

#[system]
fn write_positions(_: ColumnMut<Villager, Position>) {}

#[system(for_each = Columns<Villager>)]
fn read_each_position(_: &Position) {}

#[system(for_each = Columns<Villager>)]
fn write_each_position(_: &mut Position) {}

#[system(for_each = Columns<Villager>)]
fn write_each_hunger(_: &mut Hunger) {}

#[system]
fn read_ids(_: &Columns<Villager>) {}

#[system]
fn write_store(_: &mut Columns<Villager>) {}

#[system]
fn record(_: Commands<DeferredWrites<Position, Columns<Villager>>>) {}

type Add = fn(&mut Builder) -> &mut Builder;

const SYSTEMS: [(&str, Add); 8] = [
    ("read_positions", Builder::add::<read_positions>),
    ("write_positions", Builder::add::<write_positions>),
    ("read_each_position", Builder::add::<read_each_position>),
    ("write_each_position", Builder::add::<write_each_position>),
    ("write_each_hunger", Builder::add::<write_each_hunger>),
    ("read_ids", Builder::add::<read_ids>),
    ("write_store", Builder::add::<write_store>),
    ("record", Builder::add::<record>),
];

/// Returns the resources of the races between two systems.
fn races(one: Add, other: Add) -> Vec<String> {
    let mut builder = Schedule::builder();
    one(&mut builder);
    other(&mut builder);
    let Err(error) = builder.build() else {
        return Vec::new();
    };
    let text = error.to_string();
    let races = text.lines().filter_map(|line| {
        let (_, race) = line.split_once("race on `")?;
        Some(race.split_once('`')?.0.to_owned())
    });
    races.collect()
}

#[test]
fn systems_conflict_on_the_columns_that_they_use() {
    const POSITION: &str = "Position in Columns<Villager>";
    const STORE: &str = "Columns<Villager>";
    let conflict = |one: &str, other: &str| {
        let is = |name: &str| one == name || other == name;
        let position = |name: &str| name.ends_with("_positions") || name.ends_with("_position");
        match () {
            () if is("record") => None,
            () if is("write_store") => Some(STORE),
            () if !(position(one) && position(other)) => None,
            () if one.starts_with("write") || other.starts_with("write") => Some(POSITION),
            () => None,
        }
    };
    // Miri takes seconds for each pair.
    let n_systems = if cfg!(miri) { 1 } else { SYSTEMS.len() };
    for (nth, (one, add_one)) in SYSTEMS[..n_systems].iter().enumerate() {
        for (other, add_other) in &SYSTEMS[nth + 1..] {
            let expected = Vec::from_iter(conflict(one, other));
            assert_eq!(races(*add_one, *add_other), expected, "{one} and {other}");
        }
    }
}

#[test]
fn a_dynamic_system_gets_the_columns_that_it_declares() {
    let hungers = DynamicQuery::<Columns<Villager>>::new().reads(ComponentId::of::<Hunger>());
    let positions = DynamicQuery::<Columns<Villager>>::new().writes(ComponentId::of::<Position>());
    let follow = DynamicSystem::new("follow", |view| {
        assert_eq!(view.column::<Villager, Hunger>()?.len(), 2);
        assert!(view.column_mut::<Villager, Hunger>().is_err());
        for position in &mut view.column_mut::<Villager, Position>()? {
            position.0 *= 2;
        }
        Ok::<(), BoxError>(())
    });
    let mut schedule = Schedule::builder()
        .add_dynamic(follow.queries(hungers).queries(positions.clone()))
        .build()
        .unwrap();
    let mut resources = resources([3, 4]);
    schedule.run(&mut resources).unwrap();
    let found: Vec<_> = rows(&mut resources).iter().map(|row| row.1).collect();
    assert_eq!(found, [6, 8]);

    let other = DynamicSystem::new("other", |_| ()).queries(positions);
    let error = Schedule::builder()
        .add_dynamic(other)
        .add::<read_positions>()
        .build()
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("race on `Position in Columns<Villager>`"),
        "{text}"
    );
}

#[test]
fn a_column_is_a_component_of_its_store() {
    let id = ResourceId::of_component::<Columns<Villager>, Position>();
    let accesses = |seed: schedule::access::Access| {
        let mut found = Vec::new();
        seed.for_each(&mut |leaf, _| found.push(format!("{leaf:?}").contains("Position")));
        found
    };
    let access = <ColumnRef<Villager, Position> as Param>::SEED.access();
    assert_eq!(accesses(access), [false, true]);
    assert_eq!(id.to_string(), "Position in Columns<Villager>");
}

#[test]
fn a_missing_store_is_reported_before_the_run() {
    let mut schedule = Schedule::builder()
        .add::<write_each_position>()
        .build()
        .unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("`Columns<Villager>`"), "{text}");
}

/// The systems hold references to different columns while they wait for each other.
#[test]
fn systems_with_different_columns_run_at_the_same_time() {
    let meeting = Arc::new(Meeting::of(3));
    let [of_reader, of_writer, of_ids] = [(); 3].map(|()| Arc::clone(&meeting));
    let mut schedule = Schedule::builder()
        .add_closure("reader", move |positions: ColumnRef<Villager, Position>| {
            of_reader.wait();
            assert_eq!(positions[0], Position(3));
        })
        .add_closure("writer", move |mut hungers: ColumnMut<Villager, Hunger>| {
            hungers[0].0 += 1;
            of_writer.wait();
            hungers[0].0 += 1;
        })
        .add_closure("ids", move |villagers: &Columns<Villager>| {
            of_ids.wait();
            assert_eq!(villagers.row(villagers.ids()[0]), Some(0));
        })
        .build()
        .unwrap();
    schedule.set_executor(Executor::Parallel);
    schedule.set_pool(own_pool(3));
    let mut resources = resources([3]);
    let n_runs = if cfg!(miri) { 2 } else { 10 };
    for _ in 0..n_runs {
        schedule.run(&mut resources).unwrap();
    }
    assert_eq!(rows(&mut resources)[0].2, 2 * n_runs);
}
