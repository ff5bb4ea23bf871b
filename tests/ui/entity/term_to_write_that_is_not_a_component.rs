//! A query accesses components.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Velocity;

struct Position;

#[system]
fn integrate(mut all: Query<(&Velocity, Option<&mut Position>)>) {
    all.iter_mut().for_each(drop);
}

fn main() {}

//~ remedy
//~ - struct Position;
//~ + #[derive(Component)]
//~ + struct Position;
