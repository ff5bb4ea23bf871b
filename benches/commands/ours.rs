//! Commands of a `for_each` system.

use std::sync::Arc;

use rayon::ThreadPoolBuilder;
use schedule::columns::{Columns, EntityId};
use schedule::prelude::*;
use schedule::{Builder, Executor};
use schedule_hecs::World;
use schedule_hecs::hecs::Entity;
use schedule_hecs::prelude::*;

use crate::contender::Store;
use crate::data::{Number, Unit, numbers};
use crate::workload::{Change, Workload};

/// The step between numbers of entities that are chosen.
#[derive(Resource)]
struct Step(u32);

#[system(for_each = Columns<Unit>)]
fn despawn(number: &Number, unit: EntityId<Unit>, #[resource] step: &Step, mut commands: Commands) {
    if number.0.is_multiple_of(step.0) {
        commands.columns().despawn(unit);
    }
}

#[system(for_each = Columns<Unit>)]
fn spawn(number: &Number, #[resource] step: &Step, mut commands: Commands) {
    if number.0.is_multiple_of(step.0) {
        commands.columns().spawn(Unit::new(number.0));
    }
}

#[system(for_each = Columns<Unit>)]
fn replace(number: &Number, unit: EntityId<Unit>, #[resource] step: &Step, mut commands: Commands) {
    if number.0.is_multiple_of(step.0) {
        let mut columns = commands.columns();
        columns.despawn(unit);
        columns.spawn(Unit::new(number.0));
    }
}

#[system(for_each)]
fn despawn_in_world(
    number: &Number,
    entity: Entity,
    #[resource] step: &Step,
    mut commands: Commands,
) {
    if number.0.is_multiple_of(step.0) {
        commands.entity(entity).despawn();
    }
}

#[system(for_each)]
fn spawn_in_world(number: &Number, #[resource] step: &Step, mut commands: Commands) {
    if number.0.is_multiple_of(step.0) {
        commands.spawn(Unit::bundle(number.0));
    }
}

#[system(for_each)]
fn replace_in_world(
    number: &Number,
    entity: Entity,
    #[resource] step: &Step,
    mut commands: Commands,
) {
    if number.0.is_multiple_of(step.0) {
        commands.entity(entity).despawn();
        commands.spawn(Unit::bundle(number.0));
    }
}

/// A schedule with one system.
struct Scheduled<S> {
    schedule: Schedule,
    resources: Resources,
    reset: fn(&mut S),
    len: fn(&S) -> usize,
}

fn resources<S: Resource>(workload: Workload, store: S) -> Resources {
    let mut resources = Resources::new();
    resources.insert(Step(workload.step()));
    resources.insert(store);
    resources
}

fn build(builder: &mut Builder, executor: Executor) -> Schedule {
    let mut schedule = builder.build().expect("one system");
    schedule.set_executor(executor);
    let pool = ThreadPoolBuilder::new().num_threads(2).build();
    schedule.set_pool(Arc::new(pool.expect("threads can be created")));
    schedule
}

pub(crate) fn columns(workload: Workload, executor: Executor) -> Box<dyn Store> {
    let mut builder = Schedule::builder();
    match workload.change {
        Change::Despawn => builder.add::<despawn>(),
        Change::Spawn => builder.add::<spawn>(),
        Change::Replace => builder.add::<replace>(),
    };
    Box::new(Scheduled::<Columns<Unit>> {
        schedule: build(&mut builder, executor),
        resources: resources(workload, Columns::<Unit>::new()),
        reset: |columns| {
            columns.clear();
            columns.extend(numbers().map(Unit::new));
        },
        len: Columns::len,
    })
}

pub(crate) fn world(workload: Workload, executor: Executor) -> Box<dyn Store> {
    let mut builder = Schedule::builder();
    match workload.change {
        Change::Despawn => builder.add::<despawn_in_world>(),
        Change::Spawn => builder.add::<spawn_in_world>(),
        Change::Replace => builder.add::<replace_in_world>(),
    };
    Box::new(Scheduled::<World> {
        schedule: build(&mut builder, executor),
        resources: resources(workload, <World>::new()),
        reset: |world| {
            world.clear();
            world.spawn_batch(numbers().map(Unit::bundle));
        },
        len: World::len,
    })
}

impl<S: Resource> Scheduled<S> {
    fn store(&mut self) -> &mut S {
        self.resources.get_mut().expect("it was inserted")
    }
}

impl<S: Resource> Store for Scheduled<S> {
    fn reset(&mut self) {
        (self.reset)(self.store());
    }

    fn run(&mut self) {
        let result = self.schedule.run(&mut self.resources);
        result.expect("no resource is missing, and no system fails");
    }

    fn len(&mut self) -> usize {
        (self.len)(self.store())
    }
}
