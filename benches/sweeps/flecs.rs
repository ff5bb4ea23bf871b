//! `flecs`: each thread runs all systems on its share of the entities, one system after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use benches::pinning::{Pinning, Seat};
use flecs_ecs::prelude::*;

use crate::contender::Contender;
use crate::digest::Digest;
use crate::heavy::{self, Agent, Depth, State, Turn};
use crate::light::{self, Acceleration, Age, Body, Health, Position, Velocity};
use crate::workload::{Shape, Workload};

struct Flecs {
    world: World,
    /// The sum of the votes, if the workload has votes.
    votes: Option<Arc<AtomicU64>>,
    digest: fn(&World, &mut Digest),
}

/// Runs on two threads. The calling thread is one of them.
pub(crate) fn of(workload: Workload, pinning: &Pinning) -> Box<dyn Contender> {
    let world = World::new();
    let n_entities = workload.n_entities;
    let (digest, votes): (fn(&World, &mut Digest), _) = match workload.shape {
        Shape::Light => {
            add_light(&world);
            for body in Body::all(n_entities) {
                let entity = world.entity();
                entity.set(body.position).set(body.velocity);
                entity.set(body.acceleration).set(body.health).set(body.age);
            }
            (digest_bodies, None)
        }
        Shape::Heavy { mean_depth } => {
            let votes = Arc::new(AtomicU64::new(0));
            add_heavy(&world, Arc::clone(&votes));
            for agent in Agent::all(n_entities, mean_depth) {
                let entity = world.entity();
                entity.set(agent.state).set(agent.depth).set(agent.turn);
            }
            (digest_agents, Some(votes))
        }
    };
    pinning.start(Seat::Second, || world.set_threads(2));
    Box::new(Flecs {
        world,
        votes,
        digest,
    })
}

/// Systems of one phase run in the order of their declarations.
fn add_light(world: &World) {
    world.system::<&mut Acceleration>().par_each(light::fall);
    world
        .system::<(&Velocity, &mut Acceleration)>()
        .par_each(|(velocity, acceleration)| light::drag(velocity, acceleration));
    world
        .system::<(&mut Velocity, &Acceleration)>()
        .par_each(|(velocity, acceleration)| light::accelerate(velocity, acceleration));
    world.system::<&mut Acceleration>().par_each(light::reset);
    world
        .system::<(&mut Position, &Velocity)>()
        .par_each(|(position, velocity)| light::advance(position, velocity));
    world
        .system::<(&mut Position, &mut Velocity)>()
        .par_each(|(position, velocity)| light::bounce(position, velocity));
    world
        .system::<(&Velocity, &mut Health)>()
        .par_each(|(velocity, health)| light::exhaust(velocity, health));
    world
        .system::<(&mut Age, &mut Health)>()
        .par_each(|(age, health)| light::grow_old(age, health));
}

fn add_heavy(world: &World, votes: Arc<AtomicU64>) {
    world
        .system::<(&mut Turn, &mut State)>()
        .par_each(|(turn, state)| heavy::begin(turn, state));
    world
        .system::<(&Depth, &mut State)>()
        .par_each(|(depth, state)| heavy::think(depth, state));
    world.system::<&State>().par_run(move |mut tables| {
        while tables.next() {
            let states = tables.field::<State>(0);
            let sum = tables.iter().map(|row| heavy::vote(&states[row])).sum();
            // Relaxed: the sum is read after the run.
            votes.fetch_add(sum, Ordering::Relaxed);
        }
    });
}

impl Contender for Flecs {
    fn run(&mut self) {
        self.world.progress_time(1.0);
    }

    fn digest(&mut self) -> Digest {
        let mut digest = Digest::default();
        (self.digest)(&self.world, &mut digest);
        // Relaxed: no run is in progress.
        if let Some(votes) = &self.votes {
            digest.add([votes.load(Ordering::Relaxed)]);
        }
        digest
    }
}

fn digest_bodies(world: &World, digest: &mut Digest) {
    let all = world.new_query::<(&Position, &Velocity, &Acceleration, &Health, &Age)>();
    all.each(|(position, velocity, acceleration, health, age)| {
        digest.add_body(position, velocity, acceleration, health, age);
    });
}

fn digest_agents(world: &World, digest: &mut Digest) {
    let all = world.new_query::<(&State, &Depth, &Turn)>();
    all.each(|(state, depth, turn)| digest.add_agent(state, depth, turn));
}
