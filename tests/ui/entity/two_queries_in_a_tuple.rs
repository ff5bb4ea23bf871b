//! The parameters in a tuple are parameters of the system.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Frozen;

#[system]
fn collide((mut moving, fixed): (Query<&mut Position>, Query<&Position, With<Frozen>>)) {
    moving.iter_mut().for_each(drop);
    fixed.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn collide((mut moving, fixed): (Query<&mut Position>, Query<&Position, With<Frozen>>)) {
//~ + fn collide((mut moving, fixed): (Query<&mut Position, Without<Frozen>>, Query<&Position, With<Frozen>>)) {
