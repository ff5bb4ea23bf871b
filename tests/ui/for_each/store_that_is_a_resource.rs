//! A resource without entities cannot be the store.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Resource)]
struct Turns;

#[system(for_each = Turns)]
fn integrate(_: &mut Position) {}

fn main() {}

//~ remedy
//~ - #[system(for_each = Turns)]
//~ + #[system(for_each)]
