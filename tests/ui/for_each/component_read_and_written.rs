//! A `for_each` system cannot read a component and write it in another parameter.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn shift(old: &Position, new: &mut Position) {
    new.0 = old.0;
}

fn main() {}

//~ remedy
//~ - fn shift(old: &Position, new: &mut Position) {
//~ -     new.0 = old.0;
//~ + fn shift(new: &mut Position) {
//~ +     new.0 += 1.0;
