//! A component is a struct or an enum.

use schedule_hecs::prelude::*;

#[derive(Component)]
union Position {
    x: f32,
}

fn main() {}

//~ remedy
//~ - union Position {
//~ + struct Position {
