//! A `for_each` system cannot take a reference to the world.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn shift(position: &mut Position, other: &World) {
    let _ = (position, other);
}

fn main() {}

//~ remedy
//~ - fn shift(position: &mut Position, other: &World) {
//~ + fn shift(position: &mut Position, other: Entity) {
