//! A query names each component once if it writes it.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn integrate(mut all: Query<(&mut Position, &Position)>) {
    all.iter_mut().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn integrate(mut all: Query<(&mut Position, &Position)>) {
//~ + fn integrate(mut all: Query<&mut Position>) {
