//! Two queries of a system write a component of disjoint entities only.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn collide(mut some: Query<&mut Position>, mut others: Query<(&mut Position, Entity)>) {
    some.iter_mut().for_each(drop);
    others.iter_mut().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn collide(mut some: Query<&mut Position>, mut others: Query<(&mut Position, Entity)>) {
//~ -     some.iter_mut().for_each(drop);
//~ + fn collide(mut others: Query<(&mut Position, Entity)>) {
