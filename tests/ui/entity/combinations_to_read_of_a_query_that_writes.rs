//! Combinations of a query that writes need it exclusively.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn collide(all: Query<&mut Position>) {
    for [first, second] in all.iter_combinations() {
        let _ = (first, second);
    }
}

fn main() {}

//~ remedy
//~ - fn collide(all: Query<&mut Position>) {
//~ + fn collide(all: Query<&Position>) {
