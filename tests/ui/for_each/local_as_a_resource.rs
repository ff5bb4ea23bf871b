//! A `Local` is not a resource.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn shift(position: &mut Position, #[resource] other: Local<u32>) {
    let _ = (position, other);
}

fn main() {}

//~ remedy
//~ - #[system(for_each)]
//~ - fn shift(position: &mut Position, #[resource] other: Local<u32>) {
//~ + #[system]
//~ + fn shift(position: Query<&mut Position>, other: Local<u32>) {
