//! Commands on entities: their order, ids, tickets, and reports.

use schedule::error::Cause;
use schedule::param::CommandQueue;
use schedule::prelude::*;
use schedule_hecs::hecs::{EntityBuilder, EntityBuilderClone};
use schedule_hecs::prelude::*;
use schedule_hecs::{CommandKind, MissedCommands, MissedReason, MissingComponent, hecs};
use schedule_tests::child::Child;

use crate::{failures, schedule_of};
use schedule_tests::bomb::{Bomb, Drops};
use schedule_tests::on::On;

#[derive(Clone, Component, Debug, PartialEq)]
struct Position(i64);

#[derive(Component, Debug, PartialEq)]
struct Velocity(i64);

#[derive(Component, Debug, PartialEq)]
struct Name(&'static str);

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(World::new());
    resources
}

fn world(resources: &mut Resources) -> &mut World {
    resources.get_mut().unwrap()
}

/// Records commands and applies them.
fn apply(record: impl FnOnce(&mut Commands)) -> Resources {
    let mut resources = resources();
    apply_to(&mut resources, record);
    resources
}

fn apply_to(resources: &mut Resources, record: impl FnOnce(&mut Commands)) {
    let mut queue = CommandQueue::new();
    record(&mut queue.commands());
    queue.apply(resources);
}

/// All entities with their components, in the order of iteration.
fn content(world: &mut World) -> Vec<String> {
    let all = world.query::<(Entity, Option<&Position>, Option<&Velocity>, Option<&Name>)>();
    all.iter().map(|one| format!("{one:?}")).collect()
}

#[system]
fn spawn_alternately(mut commands: Commands, mut frame: Local<i64>) {
    *frame += 1;
    for x in 0..40 {
        match x % 5 {
            0 | 1 => _ = commands.spawn((Position(x), Velocity(*frame))),
            2 => _ = commands.spawn((Position(x),)),
            3 => {
                let ticket = commands.spawn((Name("three"),));
                commands.entity(ticket).insert((Position(x),));
            }
            _ => commands.spawn_batch((0..3).map(|y| (Position(x * y),))),
        }
    }
}

#[system]
fn spawn_dynamically(mut commands: Commands) {
    let mut builder = EntityBuilder::new();
    for x in 0..7 {
        builder.add(Position(x));
        if x % 2 == 0 {
            builder.add(Name("even"));
        }
        commands.spawn(builder.build());
    }
}

#[system]
fn despawn_some(all: Query<(Entity, &Position)>, mut commands: Commands) {
    for (entity, position) in &all {
        if position.0 % 3 == 0 {
            commands.entity(entity).despawn();
        }
    }
}

#[system]
fn change_some(all: Query<(Entity, &Position), With<Velocity>>, mut commands: Commands) {
    for (entity, position) in &all {
        match position.0 % 4 {
            1 => _ = commands.entity(entity).remove::<(Velocity,)>(),
            2 => _ = commands.entity(entity).insert((Name("two"), Position(7))),
            _ => {}
        }
    }
}

/// The same commands as calls of hecs, one by one.
fn apply_one_by_one(world: &mut hecs::World, frame: i64) {
    let of = |world: &hecs::World, wanted: fn(hecs::EntityRef<'_>, i64) -> bool| {
        let all = world
            .iter()
            .filter_map(|one| Some((one, one.get::<&Position>()?.0)))
            .filter(|(one, x)| wanted(*one, *x));
        all.map(|(one, _)| one.entity()).collect::<Vec<Entity>>()
    };
    let thirds = of(world, |_, x| x % 3 == 0);
    let removed = of(world, |one, x| one.has::<Velocity>() && x % 4 == 1);
    let changed = of(world, |one, x| one.has::<Velocity>() && x % 4 == 2);
    let mut in_order: Vec<Entity> = world.iter().map(|one| one.entity()).collect();
    for x in 0..40 {
        match x % 5 {
            0 | 1 => _ = world.spawn((Position(x), Velocity(frame))),
            2 => _ = world.spawn((Position(x),)),
            3 => {
                let entity = world.spawn((Name("three"),));
                world.insert(entity, (Position(x),)).unwrap();
            }
            _ => (0..3).for_each(|y| _ = world.spawn((Position(x * y),))),
        }
    }
    for x in 0..7 {
        match x % 2 {
            0 => _ = world.spawn((Position(x), Name("even"))),
            _ => _ = world.spawn((Position(x),)),
        }
    }
    thirds.iter().for_each(|one| world.despawn(*one).unwrap());
    in_order.retain(|one| removed.contains(one) || changed.contains(one));
    for entity in in_order {
        if removed.contains(&entity) {
            _ = world.remove::<(Velocity,)>(entity);
        } else {
            _ = world.insert(entity, (Name("two"), Position(7)));
        }
    }
}

#[test]
fn ids_and_order_of_entities_equal_those_of_single_calls_on_every_executor() {
    let n_frames = if cfg!(miri) { 2 } else { 6 };
    let mut expected = World::new();
    let expected: Vec<Vec<String>> = (1..=n_frames)
        .map(|frame| {
            apply_one_by_one(expected.hecs_mut(), frame);
            content(&mut expected)
        })
        .collect();
    assert!(expected[1].len() > 80 && expected.concat().iter().any(|one| one.contains("v2")));
    for on in On::ALL {
        let mut resources = resources();
        let mut schedule = schedule_of(|all| {
            all.add::<spawn_alternately>()
                .add::<spawn_dynamically>()
                .add::<despawn_some>()
                .add::<change_some>()
        });
        on.set(&mut schedule);
        for expected in &expected {
            on.run(&mut schedule, &mut resources).unwrap();
            assert_eq!(&content(world(&mut resources)), expected, "{on:?}");
        }
    }
}

#[test]
fn commands_on_entities_and_resources_keep_their_order() {
    #[derive(Resource, Default, Debug, PartialEq)]
    struct Lens(Vec<usize>);

    fn note(resources: &mut Resources) {
        let len = world(resources).len();
        resources.get_or_insert_with(Lens::default).0.push(len);
    }

    let resources = apply(|commands| {
        commands.spawn((Position(1),));
        commands.push(note);
        let two = commands.spawn((Position(2),));
        commands.spawn((Position(3),));
        commands.push(note);
        commands.entity(two).despawn();
        commands.push(note).remove::<World>();
        commands.insert(World::new());
        commands.spawn((Position(4),));
        commands.push(note);
    });
    assert_eq!(resources.get(), Some(&Lens(vec![1, 3, 2, 1])));
}

#[test]
fn a_ticket_is_an_entity_for_later_commands() {
    let mut tickets = Vec::new();
    let mut resources = apply(|commands| {
        for x in 0..100 {
            let ticket = commands.spawn((Position(x),));
            commands.entity(&ticket).insert((Velocity(-x),));
            assert_eq!(ticket.entity(), None);
            tickets.push(ticket);
        }
        commands.entity(&tickets[3]).despawn();
    });
    for (x, ticket) in (0..).zip(&tickets) {
        let entity = ticket.entity().unwrap();
        let found = world(&mut resources).get_mut::<Velocity>(entity);
        assert_eq!(found, (x != 3).then_some(&mut Velocity(-x)));
    }
    apply_to(&mut resources, |commands| {
        commands.entity(&tickets[0]).remove::<(Velocity,)>();
    });
    let first = tickets[0].entity().unwrap();
    assert_eq!(world(&mut resources).get_mut::<Velocity>(first), None);
    assert!(world(&mut resources).missed().is_empty());
}

#[derive(Resource, Default)]
struct Nest(Option<Ticket>);

#[system]
fn build_nest(nest: &mut Nest, mut commands: Commands) {
    nest.0 = Some(commands.spawn((Name("nest"),)));
}

#[system(after = build_nest)]
fn lay_egg(nest: &Nest, mut commands: Commands) {
    let nest = nest.0.as_ref().unwrap();
    commands.entity(nest).insert((Position(1),));
}

#[test]
fn a_ticket_is_an_entity_for_commands_of_later_systems() {
    for on in On::ALL {
        let mut resources = resources();
        resources.insert(Nest::default());
        let mut schedule = schedule_of(|all| all.add::<lay_egg>().add::<build_nest>());
        on.set(&mut schedule);
        on.run(&mut schedule, &mut resources).unwrap();
        let nests = world(&mut resources).query::<(&Name, &Position)>();
        assert_eq!(nests.single(), Ok((&Name("nest"), &Position(1))), "{on:?}");
    }
}

#[test]
fn a_sync_point_applies_commands_and_resolves_tickets() {
    #[derive(Checkpoint)]
    struct Applied;

    #[system(after = Applied)]
    fn see(nest: &Nest, all: Query<(Entity, &Name)>) {
        let (entity, _) = all.single().unwrap();
        assert_eq!(nest.0.as_ref().unwrap().entity(), Some(entity));
    }

    let mut builder = Schedule::builder();
    builder.add::<build_nest>().add::<see>();
    builder.apply_commands::<Applied>();
    builder.order("build_nest", "Applied");
    let mut schedule = builder.build().unwrap();
    for on in On::ALL {
        on.set(&mut schedule);
        let mut resources = resources();
        resources.insert(Nest::default());
        on.run(&mut schedule, &mut resources).unwrap();
        assert_eq!(world(&mut resources).len(), 1);
    }
}

#[derive(Resource, Default)]
struct Tickets(Vec<Ticket>);

#[system]
fn fail(tickets: &mut Tickets, mut commands: Commands) -> Result<(), &'static str> {
    tickets.0.push(commands.spawn((Position(1),)));
    Err("no")
}

#[system]
fn panic(tickets: &mut Tickets, mut commands: Commands) {
    tickets.0.push(commands.spawn((Position(2),)));
    panic!("no");
}

#[test]
fn tickets_of_failed_systems_have_no_entity() {
    #[system]
    fn use_tickets(tickets: &Tickets, mut commands: Commands) {
        for ticket in &tickets.0 {
            commands.entity(ticket).insert((Position(3),));
            commands.entity(ticket).despawn();
        }
    }

    let mut resources = resources();
    resources.insert(Tickets::default());
    let mut schedule =
        crate::insertion_order(|all| all.add::<fail>().add::<panic>().add::<use_tickets>());
    let failed = failures(schedule.run(&mut resources));
    assert_eq!(failed, ["fail: no", "panic: panicked: no"]);
    let tickets = core::mem::take(&mut resources.get_mut::<Tickets>().unwrap().0);
    assert_eq!(tickets.len(), 2);
    for ticket in &tickets {
        assert!(ticket.is_dropped() && ticket.entity().is_none());
    }
    let missed = world(&mut resources).take_missed();
    assert_eq!(missed.n_total(), 4);
    for one in missed.first() {
        assert_eq!(
            (one.entity, &one.reason),
            (None, &MissedReason::SpawnDropped)
        );
    }
    let text = missed.to_string();
    assert!(
        text.ends_with("had no effect: the spawn of its ticket was dropped"),
        "{text}"
    );
    assert!(world(&mut resources).is_empty());
}

#[test]
fn commands_on_entities_that_are_gone_are_reported() {
    let mut resources = resources();
    let gone = world(&mut resources).spawn((Position(1),));
    let other = world(&mut resources).spawn((Position(2),));
    let line = line!() + 2;
    apply_to(&mut resources, |commands| {
        commands.entity(gone).despawn();
        commands.entity(gone).despawn();
        commands.entity(gone).insert((Name("a"),));
        commands.entity(gone).remove::<(Position,)>();
        commands.entity(other).remove::<(Position, Name)>();
    });
    assert_eq!(content(world(&mut resources)).len(), 1);
    assert_eq!(
        world(&mut resources).get_mut::<Position>(other),
        Some(&mut Position(2))
    );
    let missed = world(&mut resources).take_missed();
    let all = missed.first().iter();
    let all: Vec<_> = all
        .map(|one| (one.kind, one.entity, one.location.line() - line))
        .collect();
    assert_eq!(
        all,
        [
            (CommandKind::Despawn, Some(gone), 1),
            (CommandKind::Insert, Some(gone), 2),
            (CommandKind::Remove, Some(gone), 3),
            (CommandKind::Remove, Some(other), 4),
        ]
    );
    let reasons: Vec<_> = missed
        .first()
        .iter()
        .map(|one| one.reason.clone())
        .collect();
    let missing = MissedReason::MissingComponent(MissingComponent::new::<Name>().to_string());
    let is_gone = || MissedReason::NoSuchEntity;
    assert_eq!(reasons, [is_gone(), is_gone(), is_gone(), missing]);
    let text = missed.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "4 commands on entities had no effect");
    let starts = |line: &str, kind: &str, entity: Entity| {
        let start = format!("  `{kind}` on entity {entity:?} at {}:", file!());
        assert!(line.starts_with(&start), "{line}");
    };
    starts(lines[2], "insert", gone);
    assert!(
        lines[2].ends_with(" had no effect: the entity does not exist"),
        "{text}"
    );
    starts(lines[4], "remove", other);
    assert!(lines[4].contains(" had no effect: missing "), "{text}");
    assert!(world(&mut resources).missed().is_empty());
}

#[test]
fn a_command_that_is_applied_before_the_spawn_of_its_ticket_is_reported() {
    let mut resources = resources();
    let (mut first, mut second) = (CommandQueue::new(), CommandQueue::new());
    let ticket = second.commands::<()>().spawn((Position(1),));
    first
        .commands::<()>()
        .entity(&ticket)
        .insert((Position(2),));
    first.apply(&mut resources);
    second.apply(&mut resources);
    let missed = world(&mut resources).take_missed();
    let one = &missed.first()[0];
    assert_eq!(
        (one.entity, &one.reason),
        (None, &MissedReason::NotYetSpawned)
    );
    let text = missed.to_string();
    assert!(
        text.ends_with("had no effect: the spawn of its ticket is not yet applied"),
        "{text}"
    );
    let entity = ticket.entity().unwrap();
    assert_eq!(
        world(&mut resources).get_mut(entity),
        Some(&mut Position(1))
    );
}

#[test]
fn the_report_of_missed_commands_is_limited_and_counts_all() {
    let mut resources = resources();
    let gone = world(&mut resources).spawn(());
    world(&mut resources).despawn(gone).unwrap();
    for _ in 0..2 {
        apply_to(&mut resources, |commands| {
            (0..70).for_each(|_| commands.entity(gone).despawn());
        });
    }
    let missed = world(&mut resources).missed();
    assert_eq!(missed.first().len(), MissedCommands::CAPACITY);
    assert_eq!(missed.n_total(), 140);
    assert!(missed.to_string().ends_with("\n  and 40 more"));
}

#[test]
fn optional_and_dynamic_bundles() {
    let mut clone = EntityBuilderClone::new();
    clone.add(Position(5));
    let prefab = clone.build();
    let mut builder = EntityBuilder::new();
    builder.add(Name("built")).add(Position(6));
    let mut resources = apply(|commands| {
        let none = commands.spawn(None::<(Position,)>);
        let some = commands.spawn(Some((Position(1),)));
        commands.entity(&none).insert(None::<(Name,)>);
        commands.entity(&some).insert(Some((Name("some"),)));
        commands.spawn(&prefab);
        commands.spawn(&prefab);
        let built = commands.spawn(builder.build());
        builder.add(Velocity(1));
        commands.entity(built).insert(builder.build());
        commands.spawn_batch(Vec::<(Velocity,)>::new());
    });
    assert_eq!(
        content(world(&mut resources)),
        [
            "(0v1, None, None, None)",
            "(2v1, Some(Position(5)), None, None)",
            "(3v1, Some(Position(5)), None, None)",
            "(1v1, Some(Position(1)), None, Some(Name(\"some\")))",
            "(4v1, Some(Position(6)), Some(Velocity(1)), Some(Name(\"built\")))",
        ]
    );
}

#[test]
fn an_iterator_that_panics_records_nothing() {
    let mut resources = apply(|commands| {
        commands.spawn((Position(1),));
        let batch = (0..9).map(|x| {
            assert!(x < 5, "too many");
            (Position(x),)
        });
        let batch = core::panic::AssertUnwindSafe(batch);
        let mut commands_ref = core::panic::AssertUnwindSafe(&mut *commands);
        let result = std::panic::catch_unwind(move || commands_ref.spawn_batch(batch.0));
        assert!(result.is_err());
        commands.spawn((Position(2),));
    });
    let all = world(&mut resources).query::<&Position>();
    assert_eq!(all.iter().map(|one| one.0).collect::<Vec<_>>(), [1, 2]);
}

#[derive(Identity)]
struct Ships;

#[test]
fn commands_change_the_world_that_they_name() {
    let mut resources = resources();
    resources.insert(World::<Ships>::with_tag());
    apply_to(&mut resources, |commands| {
        commands.spawn((Position(1),));
        let mut ships = commands.world::<Ships>();
        let ship = ships.spawn((Position(2),));
        ships.spawn_batch([(Position(3),), (Position(4),)]);
        ships.entity(ship).insert((Velocity(2),));
    });
    assert_eq!(world(&mut resources).len(), 1);
    let ships = resources.get_mut::<World<Ships>>().unwrap();
    assert_eq!(ships.len(), 3);
    let moving = ships.query::<(&Position, &Velocity)>();
    assert_eq!(moving.single(), Ok((&Position(2), &Velocity(2))));
}

#[test]
fn a_missing_world_fails_the_system_by_name() {
    let mut schedule = schedule_of(|all| all.add::<spawn_dynamically>());
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    assert!(matches!(error.failures()[0].cause, Cause::CommandPanic(_)));
    assert_eq!(
        failures(Err(error)),
        [
            "spawn_dynamically: a command panicked: resource `World` is missing, and commands change its entities; insert it before the run"
        ]
    );
}

/// A component that panics when a command replaces it, with other values that panic when they are dropped.
#[test]
fn commands_after_a_panic_are_dropped_one_by_one() {
    Child::new(|| {
        let drops = Drops::default();
        let mut resources = resources();
        let entity = world(&mut resources).spawn((drops.bomb(),));
        let ticket = core::cell::OnceCell::new();
        let apply = core::panic::AssertUnwindSafe(|| {
            apply_to(&mut resources, |commands| {
                commands.spawn((Position(1),));
                commands.entity(entity).despawn();
                _ = ticket.set(commands.spawn((drops.bomb(),)));
                commands.spawn((drops.bomb(), Position(2)));
                commands.spawn((drops.bomb(), Position(3)));
                commands.push(|_| unreachable!("an earlier command panicked"));
            });
        });
        let payload = std::panic::catch_unwind(apply).unwrap_err();
        core::mem::forget(payload);
        assert_eq!(drops.take(), 4);
        assert!(ticket.get().unwrap().is_dropped());
        let world = world(&mut resources);
        assert_eq!(world.query::<&Position>().len(), 1);
        assert_eq!(world.hecs_mut().query_mut::<&Bomb>().into_iter().count(), 0);
    })
    .run();
}
