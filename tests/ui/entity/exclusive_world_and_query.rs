//! A system that takes the world exclusively gets its components from it.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn spawn(world: &mut World, all: Query<&Position>) {
    world.spawn((Position,));
    all.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn spawn(world: &mut World, all: Query<&Position>) {
//~ -     world.spawn((Position,));
//~ + fn spawn(world: &mut World) {
//~ +     world.spawn((Position,));
//~ +     let all = world.query::<&Position>();
