//! A `for_each` system returns.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn check(position: &Position) -> ! {
    panic!("{}", position.0)
}

fn main() {}

//~ remedy
//~ - fn check(position: &Position) -> ! {
//~ + fn check(position: &Position) {
