//! `hecs` without a scheduler, on one thread except for `heavy_compute`.

use std::hint::black_box;

use hecs::{PreparedQuery, World};
use rayon::iter::{ParallelBridge, ParallelIterator};
use schedule_hecs::hecs;

use crate::contender::Run;
use crate::data::*;
use crate::workload::{N_ENTITIES, N_HEAVY, N_OF_FRAGMENT, N_SYSTEMS, Workload};

pub(crate) fn of(workload: Workload) -> Option<Run> {
    let mut world = World::new();
    Some(match workload {
        Workload::SimpleInsert => Box::new(|| {
            let mut world = World::new();
            world.spawn_batch(bundles());
        }),
        Workload::SimpleIter => {
            world.spawn_batch(bundles());
            Box::new(move || {
                for (position, velocity) in world.query_mut::<(&mut Position, &Velocity)>() {
                    advance(position, velocity);
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
            Box::new(move || {
                for data in world.query_mut::<&mut Data>() {
                    data.0 *= 2.0;
                }
            })
        }
        Workload::Schedule => {
            spawn_four(&mut world);
            Box::new(move || {
                for (a, b) in world.query_mut::<(&mut A, &mut B)>() {
                    core::mem::swap(&mut a.0, &mut b.0);
                }
                for (c, d) in world.query_mut::<(&mut C, &mut D)>() {
                    core::mem::swap(&mut c.0, &mut d.0);
                }
                for (c, e) in world.query_mut::<(&mut C, &mut E)>() {
                    core::mem::swap(&mut c.0, &mut e.0);
                }
            })
        }
        Workload::HeavyCompute => {
            world.spawn_batch((0..N_HEAVY).map(|_| bundle()));
            Box::new(move || {
                let mut query = world.query::<(&mut Position, &mut Transform)>();
                let batches = query.iter_batched(64).par_bridge();
                batches.for_each(|batch| {
                    batch.for_each(|(position, transform)| invert(position, transform));
                });
            })
        }
        Workload::AddRemove => {
            let entities: Vec<_> = world
                .spawn_batch((0..N_ENTITIES).map(|_| (A(0.0),)))
                .collect();
            Box::new(move || {
                for &entity in &entities {
                    world.insert_one(entity, B(0.0)).expect("it exists");
                }
                for &entity in &entities {
                    world.remove_one::<B>(entity).expect("it has it");
                }
            })
        }
        Workload::Systems => {
            world.spawn((Data(1.0),));
            let queries = (0..N_SYSTEMS).map(|_| PreparedQuery::<&Data>::new());
            let mut queries: Vec<_> = queries.collect();
            Box::new(move || {
                for query in &mut queries {
                    for data in query.query(&world).iter() {
                        black_box(data.0);
                    }
                }
            })
        }
    })
}

pub(crate) fn spawn_four(world: &mut World) {
    let n = 0..N_ENTITIES;
    world.spawn_batch(n.clone().map(|_| (A(0.0), B(1.0))));
    world.spawn_batch(n.clone().map(|_| (A(0.0), B(1.0), C(2.0))));
    world.spawn_batch(n.clone().map(|_| (A(0.0), B(1.0), C(2.0), D(3.0))));
    world.spawn_batch(n.map(|_| (A(0.0), B(1.0), C(2.0), E(4.0))));
}
