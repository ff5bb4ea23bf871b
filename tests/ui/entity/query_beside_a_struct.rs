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
    count: Local<'r, u32>,
}

#[system]
fn collide(mut bodies: Bodies, fixed: Query<&Position, With<Frozen>>) {
    *bodies.count += fixed.len() as u32;
    bodies.moving.iter_mut().for_each(drop);
}

fn main() {}

//~ remedy
//~ - moving: Query<'r, &'static mut Position>,
//~ + moving: Query<'r, &'static mut Position, Without<Frozen>>,
