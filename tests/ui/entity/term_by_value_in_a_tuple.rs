//! A query returns references to components.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Velocity;

#[system]
fn draw(all: Query<(&Velocity, Position)>) {
    let _ = all;
}

fn main() {}

//~ remedy
//~ - fn draw(all: Query<(&Velocity, Position)>) {
//~ + fn draw(all: Query<(&Velocity, &Position)>) {
