//! A filter is `With`, `Without`, `Or` or a tuple of filters.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Frozen;

#[system]
fn draw(all: Query<&Position, &Frozen>) {
    all.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn draw(all: Query<&Position, &Frozen>) {
//~ + fn draw(all: Query<&Position, With<Frozen>>) {
