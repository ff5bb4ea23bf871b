//! A query is a value of its own, and is taken by value.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn draw(all: &Query<&Position>) {
    all.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn draw(all: &Query<&Position>) {
//~ + fn draw(all: Query<&Position>) {
