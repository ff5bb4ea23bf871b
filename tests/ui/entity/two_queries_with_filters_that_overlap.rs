//! Two filters exclude each other only if one needs a component that the other excludes.

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
    mut frozen: Query<&mut Position, With<Frozen>>,
    mut burning: Query<&mut Position, With<Burning>>,
) {
    frozen.iter_mut().for_each(drop);
    burning.iter_mut().for_each(drop);
}

fn main() {}

//~ remedy
//~ - mut burning: Query<&mut Position, With<Burning>>,
//~ + mut burning: Query<&mut Position, (With<Burning>, Without<Frozen>)>,
