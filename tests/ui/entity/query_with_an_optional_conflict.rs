//! An optional term accesses its component, too.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn integrate(mut all: Query<(&mut Position, Option<&Position>)>) {
    all.iter_mut().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn integrate(mut all: Query<(&mut Position, Option<&Position>)>) {
//~ + fn integrate(mut all: Query<&mut Position>) {
