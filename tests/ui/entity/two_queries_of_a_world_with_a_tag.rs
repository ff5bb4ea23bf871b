//! The components of a world with a tag are named with the world.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Identity)]
struct Ships;

#[system]
fn collide(mut some: Query<&mut Position, (), Ships>, others: Query<&Position, (), Ships>) {
    some.iter_mut().for_each(drop);
    others.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - fn collide(mut some: Query<&mut Position, (), Ships>, others: Query<&Position, (), Ships>) {
//~ + fn collide(mut some: Query<&mut Position, (), Ships>, others: Query<&Position>) {
