//! `bevy_ecs`: each workload is the systems of a schedule with the multi-threaded executor, except that queries run without
//! one where the suite does so.

use std::hint::black_box;

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};
use bevy_tasks::ComputeTaskPool;

use crate::contender::Run;
use crate::data::*;
use crate::workload::{N_ENTITIES, N_HEAVY, N_OF_FRAGMENT, N_SYSTEMS, Workload};

pub(crate) fn of(workload: Workload) -> Option<Run> {
    ComputeTaskPool::get_or_init(bevy_tasks::TaskPool::new);
    let mut world = World::new();
    Some(match workload {
        Workload::SimpleInsert => Box::new(|| {
            let mut world = World::new();
            world.spawn_batch(bundles());
        }),
        Workload::SimpleIter => {
            world.spawn_batch(bundles());
            let mut query = world.query::<(&Velocity, &mut Position)>();
            Box::new(move || {
                for (velocity, mut position) in query.iter_mut(&mut world) {
                    advance(&mut position, velocity);
                }
            })
        }
        Workload::FragmentedIter => {
            macro_rules! spawn {
                ($($name:ident)*) => {
                    $(world.spawn_batch((0..N_OF_FRAGMENT).map(|_| ($name(0.0), Data(1.0))));)*
                };
            }
            fragments!(spawn);
            let mut query = world.query::<&mut Data>();
            Box::new(move || {
                for mut data in query.iter_mut(&mut world) {
                    data.0 *= 2.0;
                }
            })
        }
        Workload::Schedule => {
            let n = 0..N_ENTITIES;
            world.spawn_batch(n.clone().map(|_| (A(0.0), B(1.0))));
            world.spawn_batch(n.clone().map(|_| (A(0.0), B(1.0), C(2.0))));
            world.spawn_batch(n.clone().map(|_| (A(0.0), B(1.0), C(2.0), D(3.0))));
            world.spawn_batch(n.map(|_| (A(0.0), B(1.0), C(2.0), E(4.0))));
            let mut schedule = Schedule::default();
            schedule.set_executor(MultiThreadedExecutor::new());
            schedule.add_systems((swap_ab, swap_cd, swap_ce));
            Box::new(move || schedule.run(&mut world))
        }
        Workload::HeavyCompute => {
            world.spawn_batch((0..N_HEAVY).map(|_| bundle()));
            let mut query = world.query::<(&mut Position, &mut Transform)>();
            Box::new(move || {
                let all = query.par_iter_mut(&mut world);
                all.for_each(|(mut position, mut transform)| invert(&mut position, &mut transform));
            })
        }
        Workload::AddRemove => {
            let entities: Vec<Entity> =
                world.spawn_batch((0..N_ENTITIES).map(|_| A(0.0))).collect();
            Box::new(move || {
                for &entity in &entities {
                    world.entity_mut(entity).insert(B(0.0));
                }
                for &entity in &entities {
                    world.entity_mut(entity).remove::<B>();
                }
            })
        }
        Workload::Systems => {
            world.spawn(Data(1.0));
            let mut schedule = Schedule::default();
            schedule.set_executor(SingleThreadedExecutor::new());
            for _ in 0..N_SYSTEMS {
                schedule.add_systems(read);
            }
            Box::new(move || schedule.run(&mut world))
        }
    })
}

fn read(all: Query<&Data>) {
    for data in &all {
        black_box(data.0);
    }
}

fn swap_ab(mut all: Query<(&mut A, &mut B)>) {
    for (mut a, mut b) in &mut all {
        core::mem::swap(&mut a.0, &mut b.0);
    }
}

fn swap_cd(mut all: Query<(&mut C, &mut D)>) {
    for (mut c, mut d) in &mut all {
        core::mem::swap(&mut c.0, &mut d.0);
    }
}

fn swap_ce(mut all: Query<(&mut C, &mut E)>) {
    for (mut c, mut e) in &mut all {
        core::mem::swap(&mut c.0, &mut e.0);
    }
}
