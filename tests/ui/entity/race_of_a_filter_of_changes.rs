//! A system that tests for changes of a component conflicts with each system that writes it.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
struct Frozen;

#[system]
fn shift(mut moving: Query<&mut Position, Without<Frozen>>) {
    moving.iter_mut().for_each(|position| position.0 += 1.0);
}

#[system]
fn draw(moved: Query<Entity, (Changed<Position>, With<Frozen>)>) {
    let _ = moved;
}

schedule! {
    Frame { shift, draw }
}

fn main() {}

//~ remedy
//~ -     Frame { shift, draw }
//~ +     Frame { shift -> draw }
