//! Two systems whose commands change one component need an order.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Component)]
struct Velocity;

#[system]
fn place(_: Commands<Writes<Position>>) {}

#[system]
fn remove(_: Commands<(Writes<Velocity>, Writes<Position>)>) {}

schedule! {
    Frame {
        place,
        remove,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - remove,
//~ + remove,
//~ + policy insertion order for deferred Position,
