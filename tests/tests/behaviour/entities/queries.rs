//! Queries in systems, and what they return.

use schedule::Executor;
use schedule::prelude::*;
use schedule_hecs::SingleError;
use schedule_hecs::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Position(i64);

#[derive(Component)]
struct Velocity(i64);

#[derive(Component)]
struct Frozen;

#[derive(Resource, Default, Debug, PartialEq)]
struct Sum(i64);

#[system]
fn integrate(mut moving: Query<(&mut Position, &Velocity), Without<Frozen>>) {
    for (position, velocity) in &mut moving {
        position.0 += velocity.0;
    }
}

#[system(after_if_present = integrate)]
fn sum(all: Query<&Position>, sum: &mut Sum) {
    sum.0 = all.iter().map(|position| position.0).sum();
}

fn resources(world: World) -> Resources {
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert(Sum::default());
    resources
}

#[test]
fn queries_read_and_write_the_components_of_matching_entities() {
    let mut world = World::new();
    world.spawn((Position(1), Velocity(10)));
    world.spawn((Position(2), Velocity(20), Frozen));
    world.spawn((Position(3),));
    let mut resources = resources(world);
    let mut frame = Schedule::builder()
        .add::<integrate>()
        .add::<sum>()
        .build()
        .unwrap();
    for executor in [Executor::Serial, Executor::Parallel] {
        frame.set_executor(executor);
        frame.run(&mut resources).unwrap();
    }
    assert_eq!(resources.get::<Sum>(), Some(&Sum(26)));
}

/// New archetypes, and another world in the same resources, are found by a query that has run before.
#[test]
fn a_prepared_query_follows_changes_of_the_world() {
    let mut resources = resources(World::new());
    let mut frame = Schedule::builder().add::<sum>().build().unwrap();
    let mut run = |resources: &mut Resources| {
        frame.run(resources).unwrap();
        resources.get::<Sum>().unwrap().0
    };
    assert_eq!(run(&mut resources), 0);
    let world = resources.get_mut::<World>().unwrap();
    let entity = world.spawn((Position(1), Frozen));
    world.spawn((Position(2),));
    assert_eq!(run(&mut resources), 3);
    resources
        .get_mut::<World>()
        .unwrap()
        .despawn(entity)
        .unwrap();
    assert_eq!(run(&mut resources), 2);
    let mut other = World::new();
    other.spawn((Frozen,));
    other.spawn((Frozen, Position(7)));
    resources.insert(other);
    assert_eq!(run(&mut resources), 7);
    let mut swapped = hecs_world();
    core::mem::swap(
        resources.get_mut::<World>().unwrap().hecs_mut(),
        &mut swapped,
    );
    assert_eq!(run(&mut resources), 5);
}

fn hecs_world() -> schedule_hecs::hecs::World {
    let mut world = schedule_hecs::hecs::World::new();
    world.spawn((Velocity(1),));
    world.spawn((Velocity(1), Position(5)));
    world
}

#[test]
fn items_of_nested_and_optional_terms() {
    let mut world = World::new();
    let plain = world.spawn((Position(1),));
    let frozen = world.spawn((Position(2), Frozen));
    let mut query = world.query::<(Entity, (Option<&Frozen>, (&mut Position,)))>();
    let items: Vec<_> = query
        .iter_mut()
        .map(|(entity, (frozen, (position,)))| {
            position.0 *= 10;
            (entity, frozen.is_some())
        })
        .collect();
    assert_eq!(items, [(plain, false), (frozen, true)]);
    drop(query);
    assert_eq!(world.get_mut::<Position>(frozen), Some(&mut Position(20)));
}

#[test]
fn entities_are_found_by_id_if_they_match() {
    let mut world = World::new();
    let moving = world.spawn((Position(1), Velocity(1)));
    let frozen = world.spawn((Position(2), Velocity(2), Frozen));
    let fixed = world.spawn((Position(3),));
    let gone = world.spawn((Position(4), Velocity(4)));
    world.despawn(gone).unwrap();
    let mut query = world.query_filtered::<(&mut Position, &Velocity), Without<Frozen>>();
    assert_eq!(query.get_mut(moving).unwrap().0.0, 1);
    for entity in [frozen, fixed, gone] {
        assert!(query.get_mut(entity).is_none() && !query.contains(entity));
    }
    assert_eq!(query.len(), 1);
    assert!(query.single_mut().is_ok());
    drop(query);
    let all = world.query::<&Position>();
    assert_eq!(all.single(), Err(SingleError::Several));
    assert_eq!(all.get(fixed), Some(&Position(3)));
    drop(all);
    assert_eq!(
        world
            .query_filtered::<&Position, With<Position>>()
            .iter()
            .len(),
        3
    );
    let none = world.query_filtered::<&Position, (With<Frozen>, Without<Velocity>)>();
    assert_eq!(none.single(), Err(SingleError::None));
}

/// Two iterators of a query that reads exist at the same time.
#[test]
fn a_query_that_reads_is_shared() {
    let mut world = World::new();
    world.spawn_batch((0..4).map(|x| (Position(x),)));
    let query = world.query::<&Position>();
    let pairs = query
        .iter()
        .flat_map(|one| query.iter().map(move |other| one.0 * other.0));
    assert_eq!(pairs.sum::<i64>(), 36);
}

#[test]
fn iteration_order_and_length_do_not_depend_on_the_way_of_iterating() {
    let mut world = World::new();
    world.spawn_batch((0..100).map(|x| (Position(x),)));
    world.spawn_batch((100..150).map(|x| (Position(x), Frozen)));
    world.spawn_batch((150..200).map(|x| (Position(x), Velocity(x))));
    let query = world.query_filtered::<&Position, Or<(With<Velocity>, Without<Frozen>)>>();
    let by_next: Vec<i64> = {
        let mut iter = query.iter();
        let mut all = Vec::new();
        while let Some(position) = iter.next() {
            all.push(position.0);
            assert_eq!(iter.len(), 150 - all.len());
        }
        all
    };
    let expected: Vec<i64> = (0..100).chain(150..200).collect();
    assert_eq!(by_next, expected);
    let mut half = query.iter();
    half.by_ref().take(30).for_each(drop);
    let mut by_fold = Vec::new();
    half.for_each(|position| by_fold.push(position.0));
    assert_eq!(by_fold, expected[30..]);
}

#[test]
fn every_entity_is_visited_once_in_parallel() {
    let mut world = World::new();
    let n_entities = if cfg!(miri) { 300 } else { 5_000 };
    world.spawn_batch((0..n_entities).map(|_| (Position(0),)));
    world.spawn_batch((0..10).map(|_| (Position(0), Frozen)));
    world
        .query::<&mut Position>()
        .par_for_each(|position| position.0 += 1);
    assert!(
        world
            .query::<&Position>()
            .iter()
            .all(|position| position.0 == 1)
    );
}

#[derive(Identity)]
struct Ships;

#[test]
fn worlds_with_tags_are_different_resources() {
    #[system]
    fn land(mut ships: Query<&mut Position, (), Ships>) {
        ships.iter_mut().for_each(|position| position.0 = 0);
    }

    #[system]
    fn integrate_all(mut all: Query<&mut Position>) {
        all.iter_mut().for_each(|position| position.0 += 1);
    }

    let mut ships = World::<Ships>::with_tag();
    ships.spawn((Position(5),));
    let mut world = World::new();
    world.spawn((Position(5),));
    let mut resources = resources(world);
    resources.insert(ships);
    let builder = &mut Schedule::builder();
    builder.add::<land>().add::<integrate_all>();
    builder.build().unwrap().run(&mut resources).unwrap();
    let ships = resources.get_mut::<World<Ships>>().unwrap();
    assert_eq!(ships.query::<&Position>().single(), Ok(&Position(0)));
    let world = resources.get_mut::<World>().unwrap();
    assert_eq!(world.query::<&Position>().single(), Ok(&Position(6)));
    assert_eq!(<World<Ships> as Identity>::NAME.to_string(), "World<Ships>");
    assert_eq!(World::<()>::NAME.to_string(), "World");
    let race = Schedule::builder()
        .add::<land>()
        .add::<land>()
        .build()
        .unwrap_err()
        .to_string();
    assert!(race.contains("`Position in World<Ships>`"), "{race}");
}
