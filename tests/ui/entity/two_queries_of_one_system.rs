//! Two queries of a system write a component of disjoint entities only.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Frozen;

#[system]
fn collide(mut moving: Query<&mut Position>, fixed: Query<&Position, With<Frozen>>) {
    for _ in &mut moving {
        let _ = fixed.len();
    }
}

fn main() {}

//~ remedy
//~ - fn collide(mut moving: Query<&mut Position>, fixed: Query<&Position, With<Frozen>>) {
//~ + fn collide(mut moving: Query<&mut Position, Without<Frozen>>, fixed: Query<&Position, With<Frozen>>) {
