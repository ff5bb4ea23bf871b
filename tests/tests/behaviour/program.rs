//! The state of a whole program that is kept in memory, restored, compared and checked.

mod check;
mod kept;
mod random;

use std::time::Duration;

use schedule::columns::{Columns, EntityId};
use schedule::condition::changed;
use schedule::entity::Changes;
use schedule::param::SavedLocal;
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::snapshot::Snapshot;
use schedule::state::{Transition, transition};
use schedule::{Builder, Clock, Condition, NextState, Policy, Rate, SavedProgram, State};
use schedule_hecs::prelude::*;
use serde::{Deserialize, Serialize};

use schedule_tests::on::On;

#[derive(
    Component, SavedComponent, Snapshot, Serialize, Deserialize, Clone, Copy, Debug, PartialEq,
)]
#[snapshot(name = "walker-position")]
struct Position(i64);

#[derive(
    Component, SavedComponent, Snapshot, Serialize, Deserialize, Clone, Copy, Debug, PartialEq,
)]
#[snapshot(name = "walker-hunger")]
struct Hunger(i64);

#[derive(Columns)]
#[columns(name = "birds")]
struct Bird {
    position: Position,
    hunger: Hunger,
}

/// The events of the program, and the sum of all that happened.
#[derive(Resource, Snapshot, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[snapshot(name = "log")]
struct Log {
    sum: i64,
    n_changes: u32,
    first_bird: Option<EntityId<Bird>>,
}

#[derive(Snapshot, Serialize, Deserialize, Default)]
#[snapshot(name = "count")]
struct Count(i64);

#[derive(Message, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "hit")]
struct Hit(i64);

#[derive(Branch, Identity, Snapshot, Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[snapshot(name = "season")]
enum Season {
    Summer,
    Winter,
}

/// The period of slow systems.
#[derive(Group, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "slow")]
struct Slow;

#[system(for_each = Columns<Bird>)]
fn fly(position: &mut Position, hunger: &mut Hunger) {
    position.0 += hunger.0 % 5 + 1;
    hunger.0 += 1;
}

#[system]
fn hatch(
    mut count: SavedLocal<Count>,
    mut commands: Commands<(Changes<Columns<Bird>>, Changes<World>)>,
) {
    count.0 += 1;
    let bird = |nth| Bird {
        position: Position(nth),
        hunger: Hunger(nth % 3),
    };
    commands.columns().spawn(bird(count.0));
    commands.spawn((Position(count.0), Hunger(7)));
    commands.spawn((Position(count.0),));
}

#[system]
fn starve(
    birds: &Columns<Bird>,
    walkers: Query<(Entity, &Position)>,
    mut commands: Commands<(Changes<Columns<Bird>>, Changes<World>)>,
) {
    for id in birds.ids().iter().skip(1).step_by(3) {
        commands.columns().despawn(*id);
    }
    for (walker, position) in &walkers {
        if position.0 % 4 == 0 {
            commands.entity(walker).despawn();
        }
    }
}

#[system]
fn walk(mut walkers: Query<(&mut Position, Option<&Hunger>)>, mut hits: MessageWriter<Hit>) {
    for (position, hunger) in &mut walkers {
        position.0 = position.0 * 3 % 101 + hunger.map_or(1, |hunger| hunger.0);
        if position.0 % 7 == 0 {
            hits.write(Hit(position.0));
        }
    }
}

#[system]
fn tire(walkers: Query<(Entity, &Position), Without<Hunger>>, mut commands: Commands) {
    for (walker, position) in &walkers {
        if position.0 % 5 == 0 {
            commands.entity(walker).insert((Hunger(position.0),));
        }
    }
}

#[system]
fn count_hits(hits: MessageReader<Hit>, log: &mut Log) {
    log.sum += hits.iter().map(|hit| hit.0).sum::<i64>();
}

#[system]
fn freeze(log: &mut Log, birds: &Columns<Bird>) {
    log.sum = log.sum * 31 % 10_007;
    log.first_bird = birds.ids().first().copied();
}

#[system(before = Transition<Season>)]
fn turn(mut count: SavedLocal<Count>, season: &mut NextState<Season>) {
    count.0 += 1;
    season.set(if count.0 % 4 < 2 {
        Season::Summer
    } else {
        Season::Winter
    });
}

#[system]
fn note_change(changes: &mut ChangeCount) {
    changes.0 += 1;
}

/// The number of runs in which the log had changed.
#[derive(Resource, Snapshot, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[snapshot(name = "changes")]
struct ChangeCount(u32);

#[derive(Clone, Copy, Debug)]
enum Step {
    Fly,
    Hatch,
    Starve,
    Walk,
    Tire,
    CountHits,
    Freeze,
    Turn,
    NoteChange,
    SlowHatch,
}

impl Step {
    const ALL: [Self; 10] = [
        Self::Fly,
        Self::Hatch,
        Self::Starve,
        Self::Walk,
        Self::Tire,
        Self::CountHits,
        Self::Freeze,
        Self::Turn,
        Self::NoteChange,
        Self::SlowHatch,
    ];

    fn add(self, builder: &mut Builder) -> &mut Builder {
        match self {
            Self::Fly => builder.add::<fly>(),
            Self::Hatch => builder.add::<hatch>(),
            Self::Starve => builder.add::<starve>(),
            Self::Walk => builder.add::<walk>(),
            Self::Tire => builder.add::<tire>(),
            Self::CountHits => builder.add::<count_hits>(),
            Self::Freeze => builder
                .add::<freeze>()
                .run_if(Condition::state(Season::Winter)),
            Self::Turn => builder.add::<turn>().add::<transition<Season>>(),
            Self::NoteChange => builder
                .add::<note_change>()
                .run_if(Condition::of::<changed<Log>>()),
            Self::SlowHatch => builder
                .add::<hatch>()
                .run_if(Condition::of::<is_due<Slow>>()),
        }
    }
}

/// A schedule with these systems, in this order.
fn schedule_with(steps: &[Step]) -> Schedule {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    steps.iter().for_each(|step| _ = step.add(&mut builder));
    builder.build().unwrap()
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(World::new());
    resources.insert(Columns::<Bird>::new());
    resources.insert_default::<Log>();
    resources.insert_default::<ChangeCount>();
    resources.insert_default::<Messages<Hit>>();
    resources.insert_state(Season::Summer);
    resources.insert_default::<Clock>();
    resources.insert(Rate::<Slow>::every(2 * MS));
    resources
}

const MS: Duration = Duration::from_millis(1);

/// All state of the program.
fn saved() -> SavedProgram {
    SavedProgram::new()
        .with::<World>()
        .with::<Columns<Bird>>()
        .with::<Log>()
        .with::<ChangeCount>()
        .with_encoded::<Messages<Hit>>()
        .with::<State<Season>>()
        .with::<NextState<Season>>()
        .with_encoded::<Clock>()
        .with_encoded::<Rate<Slow>>()
}

/// Runs a frame.
fn frame(on: On, schedule: &mut Schedule, resources: &mut Resources) {
    resources.get_mut::<Clock>().unwrap().advance(MS);
    on.run(schedule, resources).unwrap();
}
