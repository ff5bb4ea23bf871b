//! A closure that takes the world exclusively gets its components from it.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

fn main() {
    Schedule::builder().add_closure("spawn", |world: &mut World, all: Query<&Position>| {
        world.spawn((Position,));
        all.iter().for_each(drop);
    });
}

//~ remedy
//~ - Schedule::builder().add_closure("spawn", |world: &mut World, all: Query<&Position>| {
//~ + Schedule::builder().add_closure("spawn", |world: &mut World| {
//~ +     let all = world.query::<&Position>();
//~ -     world.spawn((Position,));
