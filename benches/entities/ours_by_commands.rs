//! `schedule-hecs` with commands: the workloads that change the set of entities or of their components.

use schedule::Checkpoint;
use schedule::prelude::*;
use schedule_hecs::World;
use schedule_hecs::hecs::Entity;
use schedule_hecs::prelude::*;

use crate::contender::Run;
use crate::data::*;
use crate::workload::{N_ENTITIES, Workload};

#[system]
fn clear(world: &mut World) {
    *world = World::new();
}

#[system]
fn insert(mut commands: Commands) {
    commands.spawn_batch(bundles());
}

#[system]
fn add(all: Query<Entity>, mut commands: Commands) {
    for entity in &all {
        commands.entity(entity).insert((B(0.0),));
    }
}

#[system]
fn remove(all: Query<Entity>, mut commands: Commands) {
    for entity in &all {
        commands.entity(entity).remove::<(B,)>();
    }
}

/// Applies the commands of `add`.
#[derive(Checkpoint)]
struct Added;

pub(crate) fn of(workload: Workload) -> Option<Run> {
    let mut world = World::new();
    let mut builder = Schedule::builder();
    match workload {
        Workload::SimpleInsert => {
            builder.add::<clear>();
            builder.add::<insert>().after::<clear>();
        }
        Workload::AddRemove => {
            world.spawn_batch((0..N_ENTITIES).map(|_| (A(0.0),)));
            builder.add::<add>();
            builder.apply_commands::<Added>().after::<add>();
            builder.add::<remove>().after::<Added>();
        }
        _ => return None,
    }
    let mut schedule = builder.build().expect("no race is rejected");
    let mut resources = Resources::new();
    resources.insert(world);
    Some(Box::new(move || {
        schedule.run(&mut resources).expect("no system fails");
    }))
}
