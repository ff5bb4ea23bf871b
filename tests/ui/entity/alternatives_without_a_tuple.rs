//! `Or` takes a tuple of filters.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Frozen;

#[system]
fn draw(all: Query<&Position, Or<With<Frozen>>>) {
    all.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn draw(all: Query<&Position, Or<With<Frozen>>>) {
//~ + fn draw(all: Query<&Position, With<Frozen>>) {
