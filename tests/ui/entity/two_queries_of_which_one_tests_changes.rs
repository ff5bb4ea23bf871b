//! A system cannot write a component in one query, and test for its changes in another one.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
struct Frozen;

#[system]
fn clamp(
    mut all: Query<&mut Position, Without<Frozen>>,
    moved: Query<Entity, (Changed<Position>, With<Frozen>)>,
) {
    let _ = (&mut all, moved);
}

fn main() {}

//~ remedy
//~ -     moved: Query<Entity, (Changed<Position>, With<Frozen>)>,
//~ +     moved: Query<Entity, With<Frozen>>,
