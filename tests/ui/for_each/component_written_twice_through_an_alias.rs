//! An alias of a component is the component.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

type Old<'a> = Option<&'a mut Position>;

#[system(for_each)]
fn shift(old: Old, new: &mut Position) {
    new.0 = old.map_or(0.0, |old| old.0);
}

fn main() {}

//~ remedy
//~ - fn shift(old: Old, new: &mut Position) {
//~ -     new.0 = old.map_or(0.0, |old| old.0);
//~ + fn shift(new: &mut Position) {
//~ +     new.0 += 1.0;
