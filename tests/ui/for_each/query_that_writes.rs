//! A query in a `for_each` system only reads.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
struct Target(Entity);

#[system(for_each)]
fn push(target: &Target, mut others: Query<&mut Position>) {
    if let Some(position) = others.get_mut(target.0) {
        position.0 += 1.0;
    }
}

fn main() {}

//~ remedy
//~ - #[system(for_each)]
//~ - fn push(target: &Target, mut others: Query<&mut Position>) {
//~ -     if let Some(position) = others.get_mut(target.0) {
//~ -         position.0 += 1.0;
//~ -     }
//~ + #[system]
//~ + fn push(targets: Query<&Target>, mut others: Query<&mut Position>) {
//~ +     for target in &targets {
//~ +         if let Some(position) = others.get_mut(target.0) {
//~ +             position.0 += 1.0;
//~ +         }
//~ +     }
