//! A `for_each` system cannot be bound to the main thread.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each, main_thread)]
fn shift(position: &mut Position) {
    position.0 += 1.0;
}

fn main() {}

//~ remedy
//~ - #[system(for_each, main_thread)]
//~ - fn shift(position: &mut Position) {
//~ -     position.0 += 1.0;
//~ + #[system(main_thread)]
//~ + fn shift(mut positions: Query<&mut Position>) {
//~ +     positions.iter_mut().for_each(|position| position.0 += 1.0);
