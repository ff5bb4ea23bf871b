//! A parameter with `#[resource]` is a resource.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn shift(entity: Entity, #[resource] position: &Position) {
    let _ = (entity, position.0);
}

fn main() {}

//~ remedy
//~ - fn shift(entity: Entity, #[resource] position: &Position) {
//~ + fn shift(entity: Entity, position: &Position) {
