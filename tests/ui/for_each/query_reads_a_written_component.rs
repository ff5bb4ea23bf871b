//! A query in a `for_each` system cannot read a component that the system writes.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn gather(position: &mut Position, others: Query<&Position>) {
    position.0 = others.iter().map(|other| other.0).sum();
}

fn main() {}

//~ remedy
//~ - fn gather(position: &mut Position, others: Query<&Position>) {
//~ -     position.0 = others.iter().map(|other| other.0).sum();
//~ + fn gather(position: &Position, others: Query<&Position>) {
//~ +     let _ = others.iter().map(|other| other.0 - position.0).sum::<f32>();
