//! Random commands on entities, compared with the same calls on a world.

use proptest::prelude::*;
use schedule::param::CommandQueue;
use schedule::prelude::*;
use schedule_hecs::hecs::EntityBuilder;
use schedule_hecs::prelude::*;
use schedule_hecs::{CommandKind, EntityCommands, MissedReason, hecs};

#[derive(Component, Debug, PartialEq)]
struct Position(i64);

#[derive(Component, Debug, PartialEq)]
struct Velocity(i64);

#[derive(Clone, Debug)]
enum Step {
    Spawn(i64),
    SpawnMoving(i64),
    SpawnBuilt(i64),
    SpawnBatch(i64),
    /// Changes an entity.
    Change(Target, Action),
    /// A command on nothing, so that the next one is in another buffer.
    Other,
}

/// An entity that was spawned before this round, or that of a ticket of any round.
#[derive(Clone, Copy, Debug)]
enum Target {
    Old(usize),
    OfTicket(usize),
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Insert(i64),
    Remove,
    Despawn,
}

fn step() -> impl Strategy<Value = Step> {
    let target = prop_oneof![
        2 => any::<usize>().prop_map(Target::Old),
        1 => any::<usize>().prop_map(Target::OfTicket),
    ];
    let action = prop_oneof![
        2 => any::<i64>().prop_map(Action::Insert),
        2 => Just(Action::Remove),
        3 => Just(Action::Despawn),
    ];
    prop_oneof![
        3 => any::<i64>().prop_map(Step::Spawn),
        2 => any::<i64>().prop_map(Step::SpawnMoving),
        1 => any::<i64>().prop_map(Step::SpawnBuilt),
        1 => (1..5_i64).prop_map(Step::SpawnBatch),
        10 => (target, action).prop_map(|(target, action)| Step::Change(target, action)),
        1 => Just(Step::Other),
    ]
}

fn built(x: i64) -> EntityBuilder {
    let mut builder = EntityBuilder::new();
    builder.add(Position(x)).add(Velocity(x));
    builder
}

type Missed = Vec<(CommandKind, Entity, MissedReason)>;

/// Makes the calls of a round. `spawned`: the entities of all tickets.
fn call(steps: &[Step], world: &mut World, spawned: &mut Vec<Entity>, missed: &mut Missed) {
    let old: Vec<Entity> = all(world).into_iter().map(|(entity, ..)| entity).collect();
    for step in steps {
        match *step {
            Step::Spawn(x) => spawned.push(world.spawn((Position(x),))),
            Step::SpawnMoving(x) => spawned.push(world.spawn((Position(x), Velocity(x)))),
            Step::SpawnBuilt(x) => spawned.push(world.hecs_mut().spawn(built(x).build())),
            Step::SpawnBatch(n) => _ = world.spawn_batch((0..n).map(|x| (Velocity(x),))),
            Step::Change(target, action) => {
                let (from, nth) = match target {
                    Target::Old(nth) => (&old, nth),
                    Target::OfTicket(nth) => (&*spawned, nth),
                };
                if from.is_empty() {
                    continue;
                }
                let entity = from[nth % from.len()];
                let (kind, result) = match action {
                    Action::Insert(x) => {
                        let result = world.insert(entity, (Velocity(x),));
                        (CommandKind::Insert, result.map_err(Into::into))
                    }
                    Action::Remove => {
                        let result = world.remove::<(Velocity,)>(entity);
                        (CommandKind::Remove, result.map(drop))
                    }
                    Action::Despawn => {
                        let result = world.despawn(entity);
                        (CommandKind::Despawn, result.map_err(Into::into))
                    }
                };
                missed.extend(result.err().map(|error| (kind, entity, reason(&error))));
            }
            Step::Other => {}
        }
    }
}

fn reason(error: &hecs::ComponentError) -> MissedReason {
    match error {
        hecs::ComponentError::NoSuchEntity => MissedReason::NoSuchEntity,
        missing => MissedReason::MissingComponent(missing.to_string()),
    }
}

/// Records the commands of a round. `old`: the entities before it.
fn record(steps: &[Step], queue: &mut CommandQueue, old: &[Entity], tickets: &mut Vec<Ticket>) {
    let mut commands: Commands<'_> = queue.commands();
    for step in steps {
        match *step {
            Step::Spawn(x) => tickets.push(commands.spawn((Position(x),))),
            Step::SpawnMoving(x) => tickets.push(commands.spawn((Position(x), Velocity(x)))),
            Step::SpawnBuilt(x) => tickets.push(commands.spawn(built(x))),
            Step::SpawnBatch(n) => commands.spawn_batch((0..n).map(|x| (Velocity(x),))),
            Step::Change(Target::Old(nth), action) if !old.is_empty() => {
                act(&mut commands.entity(old[nth % old.len()]), action);
            }
            Step::Change(Target::OfTicket(nth), action) if !tickets.is_empty() => {
                act(&mut commands.entity(&tickets[nth % tickets.len()]), action);
            }
            Step::Change(..) => {}
            Step::Other => _ = commands.push(|_| {}),
        }
    }
}

fn act(entity: &mut EntityCommands<'_>, action: Action) {
    match action {
        Action::Insert(x) => _ = entity.insert((Velocity(x),)),
        Action::Remove => _ = entity.remove::<(Velocity,)>(),
        Action::Despawn => entity.despawn(),
    }
}

type Row = (Entity, Option<i64>, Option<i64>);

/// All entities with their components, in the order of iteration.
fn all(world: &mut World) -> Vec<Row> {
    let all = world.query::<(Entity, Option<&Position>, Option<&Velocity>)>();
    let rows = all.iter().map(|(entity, position, velocity)| {
        (
            entity,
            position.map(|position| position.0),
            velocity.map(|velocity| velocity.0),
        )
    });
    rows.collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 64 },
        // Miri has no files.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn commands_have_the_effects_of_calls_in_their_order(
        rounds in prop::collection::vec(prop::collection::vec(step(), 0..60), 1..6),
    ) {
        let mut resources = Resources::new();
        resources.insert(World::new());
        let mut queue = CommandQueue::new();
        let mut tickets = Vec::new();
        let mut by_calls = World::new();
        let mut spawned = Vec::new();
        for steps in rounds {
            let world = resources.get_mut::<World>().unwrap();
            let old: Vec<_> = all(world).into_iter().map(|(entity, ..)| entity).collect();
            record(&steps, &mut queue, &old, &mut tickets);
            queue.apply(&mut resources);
            let mut expected = Missed::new();
            call(&steps, &mut by_calls, &mut spawned, &mut expected);
            let world = resources.get_mut::<World>().unwrap();
            prop_assert_eq!(all(world), all(&mut by_calls));
            let found: Vec<_> = tickets.iter().filter_map(Ticket::entity).collect();
            prop_assert_eq!(&found, &spawned);
            let missed = world.take_missed();
            prop_assert_eq!(missed.n_total(), expected.len());
            for (found, expected) in missed.first().iter().zip(expected) {
                let found = (found.kind, found.entity.unwrap(), found.reason.clone());
                prop_assert_eq!(found, expected);
            }
        }
    }
}
