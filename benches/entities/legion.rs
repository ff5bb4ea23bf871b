//! `legion`, which stores entities by archetype.

use legion::systems::{ParallelRunnable, SystemBuilder};
use legion::{Entity, IntoQuery, Resources, Schedule, World};

use crate::contender::Run;
use crate::data::*;
use crate::workload::{N_ENTITIES, N_HEAVY, N_OF_FRAGMENT, Workload};

pub(crate) fn of(workload: Workload) -> Option<Run> {
    let mut world = World::default();
    Some(match workload {
        Workload::SimpleInsert => Box::new(|| {
            let mut world = World::default();
            world.extend(bundles().collect::<Vec<_>>());
        }),
        Workload::SimpleIter => {
            world.extend(bundles().collect::<Vec<_>>());
            let mut query = <(&Velocity, &mut Position)>::query();
            Box::new(move || {
                for (velocity, position) in query.iter_mut(&mut world) {
                    advance(position, velocity);
                }
            })
        }
        Workload::FragmentedIter => {
            macro_rules! spawn {
                ($($name:ident)*) => {
                    $(world.extend(vec![($name(0.0), Data(1.0)); N_OF_FRAGMENT]);)*
                };
            }
            fragments!(spawn);
            let mut query = <&mut Data>::query();
            Box::new(move || {
                for data in query.iter_mut(&mut world) {
                    data.0 *= 2.0;
                }
            })
        }
        Workload::Schedule => {
            world.extend(vec![(A(0.0), B(1.0)); N_ENTITIES]);
            world.extend(vec![(A(0.0), B(1.0), C(2.0)); N_ENTITIES]);
            world.extend(vec![(A(0.0), B(1.0), C(2.0), D(3.0)); N_ENTITIES]);
            world.extend(vec![(A(0.0), B(1.0), C(2.0), E(4.0)); N_ENTITIES]);
            let mut schedule = Schedule::builder();
            schedule.add_system(swap_ab()).add_system(swap_cd());
            let mut schedule = schedule.add_system(swap_ce()).build();
            let mut resources = Resources::default();
            Box::new(move || schedule.execute(&mut world, &mut resources))
        }
        Workload::HeavyCompute => {
            world.extend(vec![bundle(); N_HEAVY]);
            let mut query = <(&mut Position, &mut Transform)>::query();
            Box::new(move || {
                query.par_for_each_mut(&mut world, |(position, transform)| {
                    invert(position, transform);
                });
            })
        }
        Workload::Systems => return None,
        Workload::AddRemove => {
            let entities: Vec<Entity> = world.extend(vec![(A(0.0),); N_ENTITIES]).to_vec();
            Box::new(move || {
                for &entity in &entities {
                    let mut entry = world.entry(entity).expect("it exists");
                    entry.add_component(B(0.0));
                }
                for &entity in &entities {
                    let mut entry = world.entry(entity).expect("it exists");
                    entry.remove_component::<B>();
                }
            })
        }
    })
}

fn swap_ab() -> impl ParallelRunnable {
    SystemBuilder::new("swap_ab")
        .with_query(<(&mut A, &mut B)>::query())
        .build(|_, world, (), query| {
            for (a, b) in query.iter_mut(world) {
                core::mem::swap(&mut a.0, &mut b.0);
            }
        })
}

fn swap_cd() -> impl ParallelRunnable {
    SystemBuilder::new("swap_cd")
        .with_query(<(&mut C, &mut D)>::query())
        .build(|_, world, (), query| {
            for (c, d) in query.iter_mut(world) {
                core::mem::swap(&mut c.0, &mut d.0);
            }
        })
}

fn swap_ce() -> impl ParallelRunnable {
    SystemBuilder::new("swap_ce")
        .with_query(<(&mut C, &mut E)>::query())
        .build(|_, world, (), query| {
            for (c, e) in query.iter_mut(world) {
                core::mem::swap(&mut c.0, &mut e.0);
            }
        })
}
