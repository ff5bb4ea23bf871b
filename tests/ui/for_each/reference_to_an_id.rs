//! The id of an entity is taken by value.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn list(id: &Entity, position: &mut Position) {
    position.0 = id.id() as f32;
}

fn main() {}

//~ remedy
//~ - fn list(id: &Entity, position: &mut Position) {
//~ + fn list(id: Entity, position: &mut Position) {
