//! A filter is a component.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Score(f32);

#[system(for_each, without = Score)]
fn shift(position: &mut Position) {
    position.0 += 1.0;
}

fn main() {}

//~ remedy
//~ - #[system(for_each, without = Score)]
//~ + #[system(for_each)]
