//! This project, on columns and on worlds of `schedule-hecs`.

use std::sync::Arc;

use schedule::Executor;
use schedule::columns::Columns;
use schedule::prelude::*;
use schedule_hecs::World;

use crate::contender::Contender;
use crate::digest::Digest;
use crate::heavy::{Agent, Depth, State, Turn};
use crate::light::{Acceleration, Age, Body, Health, Position, Velocity};
use crate::pools::Pools;
use crate::workload::{Shape, Workload};

/// The store of the entities.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Store {
    Columns,
    World,
}

/// The settings of a schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    executor: Executor,
    has_sweeps: bool,
}

/// The sum of the votes of a workload.
#[derive(Resource)]
struct Votes(u64);

impl Foldable for Votes {
    type Partial = u64;

    fn join(&mut self, partial: u64) {
        self.0 = self.0.wrapping_add(partial);
    }
}

/// Declares the systems of `light`. The arguments are the options of `#[system]` that select the store.
macro_rules! light {
    ($($store:tt)*) => {
        use crate::light::{self, Acceleration, Age, Health, Position, Velocity};

        #[system($($store)*)]
        fn fall(acceleration: &mut Acceleration) {
            light::fall(acceleration);
        }

        #[system($($store)*, after = fall)]
        fn drag(velocity: &Velocity, acceleration: &mut Acceleration) {
            light::drag(velocity, acceleration);
        }

        #[system($($store)*, after = drag)]
        fn accelerate(velocity: &mut Velocity, acceleration: &Acceleration) {
            light::accelerate(velocity, acceleration);
        }

        #[system($($store)*, after = accelerate)]
        fn reset(acceleration: &mut Acceleration) {
            light::reset(acceleration);
        }

        #[system($($store)*, after = accelerate)]
        fn advance(position: &mut Position, velocity: &Velocity) {
            light::advance(position, velocity);
        }

        #[system($($store)*, after = advance)]
        fn bounce(position: &mut Position, velocity: &mut Velocity) {
            light::bounce(position, velocity);
        }

        #[system($($store)*, after = bounce)]
        fn exhaust(velocity: &Velocity, health: &mut Health) {
            light::exhaust(velocity, health);
        }

        #[system($($store)*, after = exhaust)]
        fn grow_old(age: &mut Age, health: &mut Health) {
            light::grow_old(age, health);
        }

        pub(super) fn declare(builder: &mut Builder) {
            builder.add::<fall>().add::<drag>().add::<accelerate>().add::<reset>();
            builder.add::<advance>().add::<bounce>().add::<exhaust>().add::<grow_old>();
        }
    };
}

/// The same for `heavy`.
macro_rules! heavy {
    ($($store:tt)*) => {
        use super::Votes;
        use crate::heavy::{self, Depth, State, Turn};

        #[system($($store)*)]
        fn begin(turn: &mut Turn, state: &mut State) {
            heavy::begin(turn, state);
        }

        #[system($($store)*, after = begin)]
        fn think(depth: &Depth, state: &mut State) {
            heavy::think(depth, state);
        }

        #[system($($store)*, after = think)]
        fn vote(state: &State, mut votes: Fold<Votes>) {
            *votes += heavy::vote(state);
        }

        pub(super) fn declare(builder: &mut Builder) {
            builder.add::<begin>().add::<think>().add::<vote>();
        }
    };
}

mod light_columns {
    use schedule::Builder;
    use schedule::columns::Columns;
    use schedule::prelude::*;

    use crate::light::Body;

    light!(for_each = Columns<Body>);
}

mod light_world {
    use schedule::Builder;
    use schedule::prelude::*;

    light!(for_each);
}

mod heavy_columns {
    use schedule::Builder;
    use schedule::columns::Columns;
    use schedule::prelude::*;

    use crate::heavy::Agent;

    heavy!(for_each = Columns<Agent>);
}

mod heavy_world {
    use schedule::Builder;
    use schedule::prelude::*;

    heavy!(for_each);
}

struct Ours {
    schedule: Schedule,
    resources: Resources,
    digest: fn(&mut Resources) -> Digest,
}

impl Settings {
    pub(crate) const SERIAL: Self = Self {
        executor: Executor::Serial,
        has_sweeps: true,
    };
    pub(crate) const AUTO: Self = Self {
        executor: Executor::Auto,
        has_sweeps: true,
    };
    pub(crate) const WITHOUT_SWEEPS: Self = Self {
        executor: Executor::Auto,
        has_sweeps: false,
    };

    pub(crate) fn of(self, store: Store, workload: Workload, pools: &Pools) -> Box<dyn Contender> {
        let mut builder = Schedule::builder();
        let mut resources = Resources::new();
        resources.insert(Votes(0));
        let n_entities = workload.n_entities;
        let digest = match (workload.shape, store) {
            (Shape::Light, Store::Columns) => {
                light_columns::declare(&mut builder);
                resources.insert(Body::all(n_entities).collect::<Columns<Body>>());
                digest_of_bodies
            }
            (Shape::Light, Store::World) => {
                light_world::declare(&mut builder);
                let mut world: World = World::new();
                world.spawn_batch(Body::all(n_entities).map(Body::into_tuple));
                resources.insert(world);
                digest_of_world_of_bodies
            }
            (Shape::Heavy { mean_depth }, Store::Columns) => {
                heavy_columns::declare(&mut builder);
                let agents = Agent::all(n_entities, mean_depth);
                resources.insert(agents.collect::<Columns<Agent>>());
                digest_of_agents
            }
            (Shape::Heavy { mean_depth }, Store::World) => {
                heavy_world::declare(&mut builder);
                let mut world: World = World::new();
                let agents = Agent::all(n_entities, mean_depth);
                world.spawn_batch(agents.map(Agent::into_tuple));
                resources.insert(world);
                digest_of_world_of_agents
            }
        };
        builder.sweep(self.has_sweeps);
        let mut schedule = builder
            .build()
            .expect("all conflicting systems are ordered");
        schedule.set_executor(self.executor);
        schedule.set_pool(Arc::clone(&pools.ours));
        Box::new(Ours {
            schedule,
            resources,
            digest,
        })
    }
}

impl Contender for Ours {
    fn run(&mut self) {
        let result = self.schedule.run(&mut self.resources);
        result.expect("no resource is missing, and no system fails");
    }

    fn digest(&mut self) -> Digest {
        (self.digest)(&mut self.resources)
    }
}

fn digest_of_bodies(resources: &mut Resources) -> Digest {
    let bodies = resources
        .get_mut::<Columns<Body>>()
        .expect("it was inserted");
    let (positions, velocities, accelerations, healths, ages) =
        bodies.columns_mut::<(&Position, &Velocity, &Acceleration, &Health, &Age)>();
    let mut digest = Digest::default();
    for row in 0..positions.len() {
        digest.add_body(
            &positions[row],
            &velocities[row],
            &accelerations[row],
            &healths[row],
            &ages[row],
        );
    }
    digest
}

fn digest_of_world_of_bodies(resources: &mut Resources) -> Digest {
    let world = resources.get_mut::<World>().expect("it was inserted");
    let all = world
        .hecs_mut()
        .query_mut::<(&Position, &Velocity, &Acceleration, &Health, &Age)>();
    let mut digest = Digest::default();
    for (position, velocity, acceleration, health, age) in all {
        digest.add_body(position, velocity, acceleration, health, age);
    }
    digest
}

fn digest_of_agents(resources: &mut Resources) -> Digest {
    let agents = resources
        .get_mut::<Columns<Agent>>()
        .expect("it was inserted");
    let (states, depths, turns) = agents.columns_mut::<(&State, &Depth, &Turn)>();
    let mut digest = Digest::default();
    for row in 0..states.len() {
        digest.add_agent(&states[row], &depths[row], &turns[row]);
    }
    digest.add([votes(resources)]);
    digest
}

fn digest_of_world_of_agents(resources: &mut Resources) -> Digest {
    let world = resources.get_mut::<World>().expect("it was inserted");
    let all = world.hecs_mut().query_mut::<(&State, &Depth, &Turn)>();
    let mut digest = Digest::default();
    for (state, depth, turn) in all {
        digest.add_agent(state, depth, turn);
    }
    digest.add([votes(resources)]);
    digest
}

fn votes(resources: &mut Resources) -> u64 {
    let votes = resources.get_mut::<Votes>();
    votes.expect("it was inserted").0
}
