//! A query returns references to components.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn draw(all: Query<Position>) {
    let _ = all;
}

fn main() {}

//~ remedy
//~ - fn draw(all: Query<Position>) {
//~ + fn draw(all: Query<&Position>) {
