//! An optional term does not limit the entities, a required one does.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Frozen;

#[system]
fn collide(
    mut all: Query<(&mut Position, Option<&Frozen>)>,
    moving: Query<&Position, Without<Frozen>>,
) {
    all.iter_mut().for_each(drop);
    moving.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - mut all: Query<(&mut Position, Option<&Frozen>)>,
//~ + mut all: Query<(&mut Position, &Frozen)>,
