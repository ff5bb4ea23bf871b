//! An alias is the type that it names.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Velocity;

type Moving = (&'static mut Position, &'static Velocity);
type Fixed<'r> = Query<'r, &'static Position>;

#[system]
fn collide(mut moving: Query<Moving>, fixed: Fixed) {
    moving.iter_mut().for_each(drop);
    fixed.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - type Fixed<'r> = Query<'r, &'static Position>;
//~ + type Fixed<'r> = Query<'r, &'static Position, Without<Velocity>>;
