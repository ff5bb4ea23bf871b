//! A `for_each` system cannot be exclusive.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn shift(position: &mut Position, other: &mut Resources) {
    let _ = (position, other);
}

fn main() {}

//~ remedy
//~ - fn shift(position: &mut Position, other: &mut Resources) {
//~ + fn shift(position: &mut Position, other: Commands) {
