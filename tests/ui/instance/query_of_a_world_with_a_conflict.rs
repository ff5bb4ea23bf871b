//! The terms of a query outside of a system conflict like those in a system. No filter separates them.

use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

fn main() {
    let mut world = World::new();
    let mut all = world.query::<(&Position, &mut Position)>();
    for (old, new) in &mut all {
        new.0 = old.0;
    }
}

//~ remedy
//~ - let mut all = world.query::<(&Position, &mut Position)>();
//~ -     for (old, new) in &mut all {
//~ -         new.0 = old.0;
//~ + let mut all = world.query::<&mut Position>();
//~ +     for position in &mut all {
//~ +         position.0 += 1.0;
