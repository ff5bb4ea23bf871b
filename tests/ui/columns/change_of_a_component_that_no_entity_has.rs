//! A filter of changes names a component of the entities.

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
struct Velocity(f32);

#[derive(Columns)]
struct Bird {
    position: Position,
}

#[system(for_each = Columns<Bird>, changed = Velocity)]
fn shift(position: &Position) {
    let _ = position;
}

fn main() {}

//~ remedy
//~ - struct Bird {
//~ + struct Bird {
//~ +     velocity: Velocity,
