//! A tuple of a `for_each` system cannot contain a component twice.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn shift((old, new): (&Position, &mut Position)) {
    new.0 = old.0;
}

fn main() {}

//~ remedy
//~ - fn shift((old, new): (&Position, &mut Position)) {
//~ -     new.0 = old.0;
//~ + fn shift(new: &mut Position) {
//~ +     new.0 += 1.0;
