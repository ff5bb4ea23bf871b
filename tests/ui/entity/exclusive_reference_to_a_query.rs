//! A query is a value of its own, and is taken by value.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn integrate(all: &mut Query<&mut Position>) {
    all.iter_mut().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn integrate(all: &mut Query<&mut Position>) {
//~ + fn integrate(mut all: Query<&mut Position>) {
