//! A query in a `for_each` system only reads, also in a world with a tag.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
struct Push(f32);

#[derive(Identity)]
struct Ships;

#[system(for_each = World<Ships>)]
fn push(push: &Push, mut others: Query<&mut Position, (), Ships>) {
    others.iter_mut().for_each(|position| position.0 += push.0);
}

fn main() {}

//~ remedy
//~ - fn push(push: &Push, mut others: Query<&mut Position, (), Ships>) {
//~ -     others.iter_mut().for_each(|position| position.0 += push.0);
//~ + fn push(push: &Push, position: &mut Position) {
//~ +     position.0 += push.0;
