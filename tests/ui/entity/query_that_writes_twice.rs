//! A query names each component once if it writes it.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Velocity;

#[system]
fn integrate(mut all: Query<(&Velocity, (&mut Position, (Entity, &mut Position)))>) {
    all.iter_mut().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn integrate(mut all: Query<(&Velocity, (&mut Position, (Entity, &mut Position)))>) {
//~ + fn integrate(mut all: Query<(&Velocity, (&mut Position, Entity))>) {
