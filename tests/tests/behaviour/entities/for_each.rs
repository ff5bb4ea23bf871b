//! Systems that run for each entity.

mod parameters;

use core::marker::PhantomData;
use std::error::Error;
use std::fmt;

use schedule::entity::{ForEachError, Row};
use schedule::error::Cause;
use schedule::param::CommandQueue;
use schedule::prelude::*;
use schedule::report::Warning;
use schedule::{Executor, RunError, Target};
use schedule_hecs::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Position(i64);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Velocity(i64);

#[derive(Component, Clone, Copy)]
struct Frozen;

#[derive(Component, Clone, Copy)]
struct Hidden;

#[derive(Resource)]
struct Step(i64);

/// What systems have seen, in order.
#[derive(Resource, Default, Debug, PartialEq)]
struct Seen(Vec<i64>);

const EXECUTORS: [Executor; 3] = [Executor::Serial, Executor::Parallel, Executor::Auto];

#[system(for_each)]
fn integrate(position: &mut Position, velocity: &Velocity, #[resource] step: &Step) {
    position.0 += velocity.0 * step.0;
}

#[system(for_each, after_if_present = integrate, without = Frozen)]
fn bounce(position: &Position, velocity: &mut Velocity) {
    if position.0 > 100 {
        velocity.0 = -velocity.0;
    }
}

fn resources(world: World) -> Resources {
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert(Step(1));
    resources.insert(Seen::default());
    resources
}

fn positions(resources: &mut Resources) -> Vec<i64> {
    let world = resources.get_mut::<World>().unwrap();
    let mut entities: Vec<_> = world.entities().collect();
    entities.sort();
    let positions = entities.iter().filter_map(|&entity| {
        let position = world.get_mut::<Position>(entity)?;
        Some(position.0)
    });
    positions.collect()
}

/// Entities of ten archetypes, of which some become empty.
fn mixed() -> World {
    let mut world = World::new();
    for n in 0..200_i64 {
        let entity = world.spawn((Position(n),));
        if n % 2 == 0 {
            world.insert(entity, (Velocity(n % 7),)).unwrap();
        }
        if n % 3 == 0 {
            world.insert(entity, (Frozen,)).unwrap();
        }
        if n % 5 == 0 {
            world.insert(entity, (Hidden,)).unwrap();
        }
        if n % 11 == 0 {
            world.remove::<(Position,)>(entity).unwrap();
        }
    }
    world
}

#[test]
fn systems_change_entities_as_loops_over_queries_do() {
    let mut expected = mixed();
    for _ in 0..20 {
        for (position, velocity) in &mut expected.query::<(&mut Position, &Velocity)>() {
            position.0 += velocity.0 * 3;
        }
        let mut moving = expected.query_filtered::<(&Position, &mut Velocity), Without<Frozen>>();
        for (position, velocity) in &mut moving {
            if position.0 > 100 {
                velocity.0 = -velocity.0;
            }
        }
    }
    let expected = positions(&mut resources(expected));
    for executor in EXECUTORS {
        let mut resources = resources(mixed());
        resources.insert(Step(3));
        let mut frame = Schedule::builder()
            .add::<bounce>()
            .add::<integrate>()
            .build()
            .unwrap();
        frame.set_executor(executor);
        for _ in 0..20 {
            frame.run(&mut resources).unwrap();
        }
        assert_eq!(positions(&mut resources), expected, "{executor:?}");
    }
}

#[test]
fn the_function_is_called_as_any_other() {
    let mut position = Position(1);
    integrate(&mut position, &Velocity(2), &Step(10));
    assert_eq!(position, Position(21));
}

#[system(for_each, with = (Frozen, Velocity), without = Hidden)]
fn mark_some(position: &mut Position) {
    position.0 = -1;
}

#[test]
fn filters_select_entities() {
    let mut world = World::new();
    world.spawn((Position(0), Frozen, Velocity(0)));
    world.spawn((Position(1), Frozen));
    world.spawn((Position(2), Velocity(0)));
    world.spawn((Position(3), Frozen, Velocity(0), Hidden));
    world.spawn((Frozen, Velocity(0)));
    let mut resources = resources(world);
    schedule::run_one::<mark_some>(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [-1, 1, 2, 3]);
}

#[test]
fn optional_components_are_none_where_they_are_missing() {
    #[system(for_each)]
    fn thaw(position: &mut Position, velocity: Option<&mut Velocity>, frozen: Option<&Frozen>) {
        position.0 = match (&velocity, frozen) {
            (Some(velocity), Some(Frozen)) => velocity.0,
            (Some(_), None) => -1,
            (None, Some(Frozen)) => -2,
            (None, None) => -3,
        };
        if let Some(velocity) = velocity {
            velocity.0 = 0;
        }
    }

    let mut world = World::new();
    let moving = world.spawn((Position(0), Velocity(7), Frozen));
    world.spawn((Position(0), Velocity(8)));
    world.spawn((Position(0), Frozen));
    world.spawn((Position(0),));
    world.spawn((Velocity(9), Frozen));
    let mut resources = resources(world);
    schedule::run_one::<thaw>(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [7, -1, -2, -3]);
    let world = resources.get_mut::<World>().unwrap();
    assert_eq!(world.get_mut::<Velocity>(moving), Some(&mut Velocity(0)));
}

#[derive(Component, Debug, PartialEq)]
struct Place(Option<(Entity, usize)>);

#[test]
fn entity_and_row_are_those_of_the_entity() {
    #[system(for_each)]
    fn note(entity: Entity, Row(row): Row, place: &mut Place) {
        place.0 = Some((entity, row));
    }

    let mut world = World::new();
    let plain = [(); 3].map(|()| world.spawn((Place(None),)));
    let frozen = [(); 2].map(|()| world.spawn((Place(None), Frozen)));
    world.despawn(plain[0]).unwrap();
    let again = world.spawn((Place(None),));
    let mut resources = resources(world);
    schedule::run_one::<note>(&mut resources).unwrap();
    let world = resources.get_mut::<World>().unwrap();
    // The last entity of an archetype moves to the row of a removed one.
    let rows = [
        (plain[2], 0),
        (plain[1], 1),
        (again, 2),
        (frozen[0], 0),
        (frozen[1], 1),
    ];
    for (entity, row) in rows {
        assert_eq!(
            world.get_mut::<Place>(entity),
            Some(&mut Place(Some((entity, row))))
        );
    }
}

#[test]
fn optional_resources_may_be_missing_and_others_may_not() {
    #[system(for_each)]
    fn add(position: &mut Position, #[resource] step: Option<&Step>) {
        position.0 += step.map_or(1000, |step| step.0);
    }

    let mut world = World::new();
    world.spawn((Position(0), Velocity(1)));
    let mut resources = resources(world);
    schedule::run_one::<add>(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [1]);
    resources.remove::<Step>();
    schedule::run_one::<add>(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [1001]);
    let Err(RunError::Missing(missing)) = schedule::run_one::<integrate>(&mut resources) else {
        panic!("`Step` is missing");
    };
    assert_eq!(missing[0].resource, "Step");
    resources.remove::<World>();
    assert!(matches!(
        schedule::run_one::<add>(&mut resources),
        Err(RunError::Missing(_))
    ));
}

#[test]
fn a_query_reads_other_entities() {
    #[system(for_each, without = Frozen)]
    fn follow(
        position: &mut Position,
        velocity: &Velocity,
        targets: Query<(Entity, &Position), With<Frozen>>,
        all: Query<Entity>,
    ) {
        position.0 = targets.iter().map(|(_, target)| target.0).sum::<i64>() + velocity.0;
        let first = targets.iter().next().unwrap().0;
        assert_eq!(targets.get(first).unwrap().0, first);
        assert_eq!((targets.len(), all.len()), (2, 5));
    }

    let mut world = World::new();
    world.spawn_batch([(Position(10), Frozen), (Position(20), Frozen)]);
    world.spawn_batch((0..3).map(|n| (Position(0), Velocity(n))));
    let mut resources = resources(world);
    for _ in 0..2 {
        schedule::run_one::<follow>(&mut resources).unwrap();
        assert_eq!(positions(&mut resources), [10, 20, 30, 31, 32]);
    }
}

#[test]
fn commands_are_applied_in_the_order_of_archetypes_and_rows() {
    #[system(for_each)]
    fn record(position: &Position, mut commands: Commands) {
        let position = position.0;
        commands.push(move |resources| resources.get_mut::<Seen>().unwrap().0.push(position));
    }

    let mut world = World::new();
    for n in 0..6 {
        match n % 2 {
            0 => world.spawn((Position(n),)),
            _ => world.spawn((Position(n), Frozen)),
        };
    }
    let mut resources = resources(world);
    schedule::run_one::<record>(&mut resources).unwrap();
    assert_eq!(resources.get::<Seen>(), Some(&Seen(vec![0, 2, 4, 1, 3, 5])));

    let mut queue = CommandQueue::new();
    record(&Position(7), queue.commands());
    queue.apply(&mut resources);
    assert_eq!(resources.get::<Seen>().unwrap().0.last(), Some(&7));
}

#[derive(Debug, PartialEq)]
struct OutOfRange(i64);

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is out of range", self.0)
    }
}

impl Error for OutOfRange {}

#[system(for_each)]
fn check(position: &mut Position, mut commands: Commands) -> Result<(), OutOfRange> {
    if position.0 >= 3 {
        return Err(OutOfRange(position.0));
    }
    position.0 += 100;
    commands.push(|resources| resources.get_mut::<Seen>().unwrap().0.push(1));
    Ok(())
}

#[system(after = check)]
fn after_check(seen: &mut Seen) {
    seen.0.push(2);
}

#[test]
fn a_failure_at_an_entity_does_not_stop_the_others() {
    for executor in EXECUTORS {
        let mut world = World::new();
        let entities = [5, 1, 4, 2].map(|n| world.spawn((Position(n),)));
        world.spawn((Position(9), Frozen));
        let mut resources = resources(world);
        let mut frame = Schedule::builder()
            .add::<check>()
            .add::<after_check>()
            .build()
            .unwrap();
        frame.set_executor(executor);
        let error = frame.run(&mut resources).unwrap_err();
        assert_eq!(positions(&mut resources), [5, 101, 4, 102, 9]);
        assert_eq!(
            resources.get::<Seen>(),
            Some(&Seen(Vec::new())),
            "commands are dropped"
        );
        assert_eq!(error.skipped()[0].name, "after_check");
        let [failure] = error.failures() else {
            panic!("{error}");
        };
        let error = failure
            .source()
            .unwrap()
            .downcast_ref::<ForEachError<Entity>>()
            .unwrap();
        assert_eq!((*error.entity(), error.n_failed()), (entities[0], 3));
        let source = error.source().unwrap().downcast_ref();
        assert_eq!(source, Some(&OutOfRange(5)));
        let text = format!(
            "3 entities failed, the first is {:?}: 5 is out of range",
            entities[0]
        );
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn an_error_may_be_a_text() {
    #[system(for_each)]
    fn fail(_: &Position, frozen: Option<&Frozen>) -> Result<(), String> {
        match frozen {
            Some(_) => Err("frozen".to_string()),
            None => Ok(()),
        }
    }

    let mut world = World::new();
    world.spawn((Position(0),));
    let mut resources = resources(world);
    schedule::run_one::<fail>(&mut resources).unwrap();
    let world = resources.get_mut::<World>().unwrap();
    let frozen = world.spawn((Position(0), Frozen));
    let error = schedule::run_one::<fail>(&mut resources).unwrap_err();
    let expected = format!("entity {frozen:?}: frozen");
    assert!(error.to_string().contains(&expected), "{error}");
}

#[test]
fn a_panic_ends_the_system() {
    #[system(for_each)]
    fn panic_at_two(position: &mut Position) {
        assert!(position.0 != 2, "two");
        position.0 = -1;
    }

    let mut world = World::new();
    world.spawn_batch([1, 2, 3].map(|n| (Position(n),)));
    let mut resources = resources(world);
    let error = schedule::run_one::<panic_at_two>(&mut resources).unwrap_err();
    let [failure] = error.failures() else {
        panic!("{error}");
    };
    assert!(matches!(failure.cause, Cause::Panic(_)), "{error}");
    assert_eq!(positions(&mut resources), [-1, 2, 3]);
    let world = resources.get_mut::<World>().unwrap();
    let mut query = world.query::<&mut Position>();
    query.iter_mut().for_each(|position| position.0 = 0);
    drop(query);
    schedule::run_one::<panic_at_two>(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [-1, -1, -1]);
}

/// New archetypes, and another world in the same resources, are found by a system that has run before.
#[test]
fn a_system_follows_changes_of_the_world() {
    let mut resources = resources(World::new());
    let mut frame = Schedule::builder().add::<integrate>().build().unwrap();
    let mut run = |resources: &mut Resources| {
        frame.run(resources).unwrap();
        positions(resources)
    };
    assert_eq!(run(&mut resources), [0_i64; 0]);
    let world = resources.get_mut::<World>().unwrap();
    let first = world.spawn((Position(0), Velocity(1)));
    assert_eq!(run(&mut resources), [1]);
    let world = resources.get_mut::<World>().unwrap();
    world.insert(first, (Frozen,)).unwrap();
    world.spawn((Position(0), Velocity(2), Hidden));
    assert_eq!(run(&mut resources), [2, 2]);
    let mut other = World::new();
    other.spawn((Hidden,));
    other.spawn((Position(5), Velocity(5)));
    resources.insert(other);
    assert_eq!(run(&mut resources), [10]);
}

#[system]
fn is_running(step: &Step) -> bool {
    step.0 > 0
}

#[derive(Group)]
struct Physics;

#[system(for_each, if = is_running, in = Physics, name = "count")]
fn count_up(position: &mut Position) {
    position.0 += 1;
}

#[system(for_each, after = Physics)]
fn double(position: &mut Position) {
    position.0 *= 2;
}

#[test]
fn conditions_orders_and_groups_apply() {
    let mut world = World::new();
    world.spawn((Position(1),));
    let mut resources = resources(world);
    let mut frame = Schedule::builder()
        .add::<double>()
        .add::<count_up>()
        .build()
        .unwrap();
    assert_eq!(
        frame.systems().collect::<Vec<_>>(),
        ["is_running", "count", "double"]
    );
    frame.run(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [4]);
    resources.insert(Step(0));
    frame.run(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [8]);
}

schedule! {
    Frame {
        integrate -> bounce,
        count_up: after bounce,
        double,
    }
}

#[test]
fn a_listed_schedule_runs_systems_for_each_entity() {
    let mut world = World::new();
    world.spawn((Position(1), Velocity(2)));
    let mut resources = resources(world);
    let mut frame = Frame::builder().build().unwrap();
    frame.run(&mut resources).unwrap();
    assert_eq!(positions(&mut resources), [8]);
}

#[system(for_each, with = Frozen)]
fn write_frozen(position: &mut Position) {
    position.0 = 0;
}

#[system(for_each, without = Frozen)]
fn write_others(position: &mut Position) {
    position.0 = 1;
}

#[system(for_each)]
fn write_moving(position: &mut Position, _: &Frozen) {
    position.0 = 2;
}

// The required component of one parameter is part of the filter of all, also for the compiler.
schedule! {
    Disjoint {
        write_others,
        write_moving,
    }
}

#[test]
fn systems_race_on_components_unless_filters_prove_them_disjoint() {
    Disjoint::builder().build().unwrap();
    let mut builder = Schedule::builder();
    builder.add::<write_frozen>().add::<write_others>();
    builder.build().unwrap();
    let mut builder = Schedule::builder();
    builder.add::<write_frozen>().add::<write_others>();
    let error = builder.add::<write_moving>().build().unwrap_err();
    let text = error.to_string();
    assert_eq!(text.matches("race on `Position`").count(), 1, "{text}");
    assert!(
        text.contains("`write_frozen`") && text.contains("`write_moving`"),
        "{text}"
    );
}

#[test]
fn a_filter_that_contradicts_the_parameters_is_a_warning() {
    #[system(for_each, without = Position)]
    fn never(_: &Position) {}

    let schedule = Schedule::builder().add::<never>().build().unwrap();
    let [Warning::UnmatchableQuery { system }] = &schedule.warnings()[..] else {
        panic!("{:?}", schedule.warnings());
    };
    assert_eq!(system.name, "never");
}

type PositionMut<'a> = &'a mut Position;
type Frozens<'a> = Query<'a, &'static Position, With<Frozen>>;
type StepRef<'a> = &'a Step;
