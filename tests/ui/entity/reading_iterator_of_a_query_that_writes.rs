//! A query that writes is iterated exclusively.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn integrate(all: Query<&mut Position>) {
    all.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn integrate(all: Query<&mut Position>) {
//~ -     all.iter().for_each(drop);
//~ + fn integrate(mut all: Query<&mut Position>) {
//~ +     all.iter_mut().for_each(drop);
