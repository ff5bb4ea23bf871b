//! A `for_each` system cannot test for changes of a component that it writes.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each, changed = Position)]
fn clamp(mut position: Mut<Position>) {
    position.0 = position.0.min(1.0);
}

fn main() {}

//~ remedy
//~ - #[system(for_each, changed = Position)]
//~ + #[system(for_each)]
//~ remedy
//~ - fn clamp(mut position: Mut<Position>) {
//~ -     position.0 = position.0.min(1.0);
//~ + fn clamp(position: &Position) {
//~ +     assert!(position.0 < 1.0);
