//! `schedule-hecs`: each workload is the systems of a schedule, with default settings.

use std::hint::black_box;

use schedule::prelude::*;
use schedule_hecs::World;
use schedule_hecs::hecs::Entity;
use schedule_hecs::prelude::Query;

use crate::by_hecs::spawn_four;
use crate::contender::Run;
use crate::data::*;
use crate::workload::{N_ENTITIES, N_HEAVY, N_OF_FRAGMENT, N_SYSTEMS, Workload};

#[system]
fn insert(world: &mut World) {
    *world = World::new();
    world.spawn_batch(bundles());
}

#[system]
fn iterate(mut moving: Query<(&mut Position, &Velocity)>) {
    for (position, velocity) in &mut moving {
        advance(position, velocity);
    }
}

#[system]
fn double(mut all: Query<&mut Data>) {
    for data in &mut all {
        data.0 *= 2.0;
    }
}

#[system]
fn swap_ab(mut all: Query<(&mut A, &mut B)>) {
    for (a, b) in &mut all {
        core::mem::swap(&mut a.0, &mut b.0);
    }
}

#[system]
fn swap_cd(mut all: Query<(&mut C, &mut D)>) {
    for (c, d) in &mut all {
        core::mem::swap(&mut c.0, &mut d.0);
    }
}

#[system(after = swap_cd)]
fn swap_ce(mut all: Query<(&mut C, &mut E)>) {
    for (c, e) in &mut all {
        core::mem::swap(&mut c.0, &mut e.0);
    }
}

#[system]
fn compute(mut all: Query<(&mut Position, &mut Transform)>) {
    all.par_for_each(|(position, transform)| invert(position, transform));
}

#[system]
fn read(all: Query<&Data>) {
    for data in &all {
        black_box(data.0);
    }
}

#[derive(Resource)]
struct Entities(Vec<Entity>);

#[system]
fn add_remove(world: &mut World, entities: &Entities) {
    for &entity in &entities.0 {
        world.insert(entity, (B(0.0),)).expect("it exists");
    }
    for &entity in &entities.0 {
        world.remove::<(B,)>(entity).expect("it has it");
    }
}

pub(crate) fn of(workload: Workload) -> Option<Run> {
    let mut world = World::new();
    let mut resources = Resources::new();
    let mut builder = Schedule::builder();
    match workload {
        Workload::SimpleInsert => builder.add::<insert>(),
        Workload::SimpleIter => {
            world.spawn_batch(bundles());
            builder.add::<iterate>()
        }
        Workload::FragmentedIter => {
            macro_rules! spawn {
                ($($name:ident)*) => {
                    $(world.spawn_batch((0..N_OF_FRAGMENT).map(|_| ($name(0.0), Data(1.0))));)*
                };
            }
            fragments!(spawn);
            builder.add::<double>()
        }
        Workload::Schedule => {
            spawn_four(world.hecs_mut());
            builder.add::<swap_ab>().add::<swap_cd>().add::<swap_ce>()
        }
        Workload::HeavyCompute => {
            world.spawn_batch((0..N_HEAVY).map(|_| bundle()));
            builder.add::<compute>()
        }
        Workload::AddRemove => {
            let entities = world.spawn_batch((0..N_ENTITIES).map(|_| (A(0.0),)));
            resources.insert(Entities(entities));
            builder.add::<add_remove>()
        }
        Workload::Systems => {
            world.spawn((Data(1.0),));
            for _ in 0..N_SYSTEMS {
                builder.add::<read>();
            }
            &mut builder
        }
    };
    let mut schedule = builder.build().expect("no race is rejected");
    resources.insert(world);
    Some(Box::new(move || {
        schedule.run(&mut resources).expect("no system fails");
    }))
}
