//! The fields of a struct of parameters are parameters of the system.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Frozen;

#[derive(Params)]
struct Bodies<'r> {
    moving: Query<'r, &'static mut Position>,
    fixed: Query<'r, &'static Position, With<Frozen>>,
}

fn main() {}

//~ remedy
//~ - moving: Query<'r, &'static mut Position>,
//~ + moving: Query<'r, &'static mut Position, Without<Frozen>>,
