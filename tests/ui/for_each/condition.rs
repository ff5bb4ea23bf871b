//! A `for_each` system cannot be a condition.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn is_left(position: &Position) -> bool {
    position.0 < 0.0
}

fn main() {}

//~ remedy
//~ - #[system(for_each)]
//~ - fn is_left(position: &Position) -> bool {
//~ -     position.0 < 0.0
//~ + #[system]
//~ + fn is_left(positions: Query<&Position>) -> bool {
//~ +     positions.iter().any(|position| position.0 < 0.0)
