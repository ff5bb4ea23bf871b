//! A component is taken by reference.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn shift(position: Position) {
    let _ = position.0;
}

fn main() {}

//~ remedy
//~ - fn shift(position: Position) {
//~ + fn shift(position: &Position) {
