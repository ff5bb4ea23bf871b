//! Each alternative of a filter must be excluded by the other filter.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Frozen;

#[derive(Component)]
struct Burning;

#[system]
fn collide(
    mut cold: Query<&mut Position, (With<Frozen>, With<Burning>)>,
    mut others: Query<&mut Position, Or<(Without<Frozen>, With<Burning>)>>,
) {
    cold.iter_mut().for_each(drop);
    others.iter_mut().for_each(drop);
}

fn main() {}

//~ remedy
//~ - mut cold: Query<&mut Position, (With<Frozen>, With<Burning>)>,
//~ + mut cold: Query<&mut Position, (With<Frozen>, Without<Burning>)>,
