//! `bevy_ecs`: the systems of a workload in a chain.

use std::sync::atomic::{AtomicU64, Ordering};

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};

use crate::contender::Contender;
use crate::digest::Digest;
use crate::heavy::{Agent, Depth, State, Turn};
use crate::light::{Acceleration, Age, Body, Health, Position, Velocity};
use crate::workload::{Shape, Workload};

/// How a system visits its entities.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// `iter_mut`, with the executor for one thread.
    Iter,
    /// `par_iter_mut`, with the executor for several threads.
    ParIter,
}

/// The sum of the votes of a workload.
#[derive(Resource)]
struct Votes(u64);

/// Declares the systems of `light` and `heavy`. The argument is the method that visits the entities.
macro_rules! systems {
    ($iter_mut:ident) => {
        use bevy_ecs::prelude::*;

        use crate::heavy::{self, Depth, State, Turn};
        use crate::light::{self, Acceleration, Age, Health, Position, Velocity};

        fn fall(mut all: Query<&mut Acceleration>) {
            all.$iter_mut()
                .for_each(|mut acceleration| light::fall(&mut acceleration));
        }

        fn drag(mut all: Query<(&Velocity, &mut Acceleration)>) {
            all.$iter_mut()
                .for_each(|(velocity, mut acceleration)| light::drag(velocity, &mut acceleration));
        }

        fn accelerate(mut all: Query<(&mut Velocity, &Acceleration)>) {
            all.$iter_mut().for_each(|(mut velocity, acceleration)| {
                light::accelerate(&mut velocity, acceleration);
            });
        }

        fn reset(mut all: Query<&mut Acceleration>) {
            all.$iter_mut()
                .for_each(|mut acceleration| light::reset(&mut acceleration));
        }

        fn advance(mut all: Query<(&mut Position, &Velocity)>) {
            all.$iter_mut()
                .for_each(|(mut position, velocity)| light::advance(&mut position, velocity));
        }

        fn bounce(mut all: Query<(&mut Position, &mut Velocity)>) {
            all.$iter_mut().for_each(|(mut position, mut velocity)| {
                light::bounce(&mut position, &mut velocity);
            });
        }

        fn exhaust(mut all: Query<(&Velocity, &mut Health)>) {
            all.$iter_mut()
                .for_each(|(velocity, mut health)| light::exhaust(velocity, &mut health));
        }

        fn grow_old(mut all: Query<(&mut Age, &mut Health)>) {
            all.$iter_mut()
                .for_each(|(mut age, mut health)| light::grow_old(&mut age, &mut health));
        }

        fn begin(mut all: Query<(&mut Turn, &mut State)>) {
            all.$iter_mut()
                .for_each(|(mut turn, mut state)| heavy::begin(&mut turn, &mut state));
        }

        fn think(mut all: Query<(&Depth, &mut State)>) {
            all.$iter_mut()
                .for_each(|(depth, mut state)| heavy::think(depth, &mut state));
        }

        pub(super) fn add_light(schedule: &mut Schedule) {
            let first = (fall, drag, accelerate, reset).chain();
            let last = (advance, bounce, exhaust, grow_old).chain();
            schedule.add_systems((first, last).chain());
        }

        pub(super) fn add_heavy<M>(schedule: &mut Schedule, vote: impl IntoSystem<(), (), M>) {
            let vote = IntoSystem::into_system(vote);
            schedule.add_systems((begin, think, vote).chain());
        }
    };
}

mod iter {
    systems!(iter_mut);
}

mod par_iter {
    systems!(par_iter_mut);
}

fn vote(states: Query<&State>, mut votes: ResMut<Votes>) {
    let sum: u64 = states.iter().map(crate::heavy::vote).sum();
    votes.0 = votes.0.wrapping_add(sum);
}

fn par_vote(states: Query<&State>, mut votes: ResMut<Votes>) {
    /// A part of the sum. It is added when it is dropped.
    struct Part<'a> {
        number: u64,
        sum: &'a AtomicU64,
    }

    impl Drop for Part<'_> {
        fn drop(&mut self) {
            // Relaxed: the sum is read after all tasks have ended.
            self.sum.fetch_add(self.number, Ordering::Relaxed);
        }
    }

    let sum = AtomicU64::new(0);
    let part = || Part {
        number: 0,
        sum: &sum,
    };
    states.par_iter().for_each_init(part, |part, state| {
        part.number += crate::heavy::vote(state);
    });
    votes.0 = votes.0.wrapping_add(sum.into_inner());
}

struct Bevy {
    world: World,
    schedule: Schedule,
    digest: fn(&mut World) -> Digest,
}

impl Way {
    pub(crate) fn of(self, workload: Workload) -> Box<dyn Contender> {
        let mut world = World::new();
        let mut schedule = Schedule::default();
        match self {
            Self::Iter => schedule.set_executor(SingleThreadedExecutor::new()),
            Self::ParIter => schedule.set_executor(MultiThreadedExecutor::new()),
        };
        let n_entities = workload.n_entities;
        let digest = match workload.shape {
            Shape::Light => {
                world.spawn_batch(Body::all(n_entities).map(Body::into_tuple));
                match self {
                    Self::Iter => iter::add_light(&mut schedule),
                    Self::ParIter => par_iter::add_light(&mut schedule),
                }
                digest_of_bodies
            }
            Shape::Heavy { mean_depth } => {
                let agents = Agent::all(n_entities, mean_depth);
                world.spawn_batch(agents.map(Agent::into_tuple));
                world.insert_resource(Votes(0));
                match self {
                    Self::Iter => iter::add_heavy(&mut schedule, vote),
                    Self::ParIter => par_iter::add_heavy(&mut schedule, par_vote),
                }
                digest_of_agents
            }
        };
        Box::new(Bevy {
            world,
            schedule,
            digest,
        })
    }
}

impl Contender for Bevy {
    fn run(&mut self) {
        self.schedule.run(&mut self.world);
    }

    fn digest(&mut self) -> Digest {
        (self.digest)(&mut self.world)
    }
}

fn digest_of_bodies(world: &mut World) -> Digest {
    let mut all = world.query::<(&Position, &Velocity, &Acceleration, &Health, &Age)>();
    let mut digest = Digest::default();
    for (position, velocity, acceleration, health, age) in all.iter(world) {
        digest.add_body(position, velocity, acceleration, health, age);
    }
    digest
}

fn digest_of_agents(world: &mut World) -> Digest {
    let mut all = world.query::<(&State, &Depth, &Turn)>();
    let mut digest = Digest::default();
    for (state, depth, turn) in all.iter(world) {
        digest.add_agent(state, depth, turn);
    }
    digest.add([world.resource::<Votes>().0]);
    digest
}
