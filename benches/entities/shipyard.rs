//! `shipyard`, which stores each component in a sparse set.

use shipyard::{AllStoragesViewMut, EntityId, IntoIter, View, ViewMut, World};

use crate::contender::Run;
use crate::data::*;
use crate::workload::{N_ENTITIES, N_HEAVY, N_OF_FRAGMENT, Workload};

pub(crate) fn of(workload: Workload) -> Option<Run> {
    let mut world = World::new();
    Some(match workload {
        Workload::SimpleInsert => Box::new(|| {
            let mut world = World::new();
            world.bulk_add_entity(bundles());
        }),
        Workload::SimpleIter => {
            world.bulk_add_entity(bundles());
            Box::new(move || {
                world.run(
                    |velocities: View<Velocity>, mut positions: ViewMut<Position>| {
                        for (position, velocity) in (&mut positions, &velocities).iter() {
                            advance(position, velocity);
                        }
                    },
                );
            })
        }
        Workload::FragmentedIter => {
            macro_rules! spawn {
                ($($name:ident)*) => {
                    $(world.bulk_add_entity((0..N_OF_FRAGMENT).map(|_| ($name(0.0), Data(1.0))));)*
                };
            }
            fragments!(spawn);
            Box::new(move || {
                world.run(|mut all: ViewMut<Data>| {
                    for data in (&mut all).iter() {
                        data.0 *= 2.0;
                    }
                });
            })
        }
        Workload::Schedule => {
            let n = 0..N_ENTITIES;
            world.bulk_add_entity(n.clone().map(|_| (A(0.0), B(1.0))));
            world.bulk_add_entity(n.clone().map(|_| (A(0.0), B(1.0), C(2.0))));
            world.bulk_add_entity(n.clone().map(|_| (A(0.0), B(1.0), C(2.0), D(3.0))));
            world.bulk_add_entity(n.map(|_| (A(0.0), B(1.0), C(2.0), E(4.0))));
            let systems = shipyard::Workload::new("swap")
                .with_system(swap_ab)
                .with_system(swap_cd);
            systems
                .with_system(swap_ce)
                .add_to_world(&world)
                .expect("the name is free");
            Box::new(move || world.run_workload("swap").expect("no borrow fails"))
        }
        Workload::HeavyCompute => {
            use rayon::iter::ParallelIterator;
            use shipyard::iter::IntoIter as _;

            world.bulk_add_entity((0..N_HEAVY).map(|_| bundle()));
            Box::new(move || {
                world.run(
                    |mut positions: ViewMut<Position>, mut transforms: ViewMut<Transform>| {
                        let all = (&mut positions, &mut transforms).par_iter();
                        all.for_each(|(position, transform)| invert(position, transform));
                    },
                );
            })
        }
        Workload::Systems => return None,
        Workload::AddRemove => {
            let entities: Vec<EntityId> = world
                .bulk_add_entity((0..N_ENTITIES).map(|_| (A(0.0),)))
                .collect();
            Box::new(move || {
                world.run(|mut all: AllStoragesViewMut| {
                    for &entity in &entities {
                        all.add_component(entity, (B(0.0),));
                    }
                    for &entity in &entities {
                        all.remove::<B>(entity);
                    }
                });
            })
        }
    })
}

fn swap_ab(mut a: ViewMut<A>, mut b: ViewMut<B>) {
    for (a, b) in (&mut a, &mut b).iter() {
        core::mem::swap(&mut a.0, &mut b.0);
    }
}

fn swap_cd(mut c: ViewMut<C>, mut d: ViewMut<D>) {
    for (c, d) in (&mut c, &mut d).iter() {
        core::mem::swap(&mut c.0, &mut d.0);
    }
}

fn swap_ce(mut c: ViewMut<C>, mut e: ViewMut<E>) {
    for (c, e) in (&mut c, &mut e).iter() {
        core::mem::swap(&mut c.0, &mut e.0);
    }
}
