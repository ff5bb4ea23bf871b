//! A `for_each` system cannot take the world.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn shift(position: &mut Position, other: &mut World) {
    let _ = (position, other);
}

fn main() {}

//~ remedy
//~ - fn shift(position: &mut Position, other: &mut World) {
//~ + fn shift(position: &mut Position, other: Commands) {
