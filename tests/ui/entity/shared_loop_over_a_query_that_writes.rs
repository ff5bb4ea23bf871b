//! A query that writes is iterated exclusively.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Velocity;

#[system]
fn integrate(mut all: Query<(&mut Position, &Velocity)>) {
    for (position, velocity) in &all {
        let _ = (position, velocity);
    }
}

fn main() {}

//~ remedy
//~ - for (position, velocity) in &all {
//~ + for (position, velocity) in &mut all {
