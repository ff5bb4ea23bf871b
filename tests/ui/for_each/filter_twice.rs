//! The option `with` is given once.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
struct Alive;

#[derive(Component)]
struct Awake;

#[system(for_each, with = Alive, with = Awake)]
fn shift(position: &mut Position) {
    position.0 += 1.0;
}

fn main() {}

//~ remedy
//~ - #[system(for_each, with = Alive, with = Awake)]
//~ + #[system(for_each, with = (Alive, Awake))]
