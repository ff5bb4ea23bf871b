//! Sweeps: `for_each` systems that run together, chunk by chunk.

#[cfg(not(miri))]
mod report;
mod settings;
mod timeline;
#[cfg(not(miri))]
mod why;

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Position(i64);

#[derive(Component)]
struct Velocity(i64);

#[derive(Component)]
struct Frozen;

#[system(for_each)]
fn accelerate(velocity: &mut Velocity) {
    velocity.0 += 1;
}

#[system(for_each, after_if_present = accelerate)]
fn integrate(position: &mut Position, velocity: &Velocity) {
    position.0 += velocity.0;
}

#[system(for_each, after_if_present = integrate)]
fn bounce(position: &Position, velocity: &mut Velocity) {
    if position.0 > 100 {
        velocity.0 = -velocity.0;
    }
}

/// The names of the members of each sweep.
fn sweeps(schedule: &Schedule) -> Vec<Vec<String>> {
    let graph = schedule.graph();
    graph.check().unwrap();
    let names = |members: &Vec<usize>| {
        let names = members.iter().map(|&node| graph.nodes[node].name.clone());
        names.collect()
    };
    graph.sweeps.iter().map(names).collect()
}
