//! A query cannot test for changes of a component that it writes.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system]
fn clamp(mut moved: Query<&mut Position, Changed<Position>>) {
    moved.iter_mut().for_each(|position| position.0 = 0.0);
}

fn main() {}

//~ remedy
//~ - fn clamp(mut moved: Query<&mut Position, Changed<Position>>) {
//~ + fn clamp(mut moved: Query<&mut Position>) {
