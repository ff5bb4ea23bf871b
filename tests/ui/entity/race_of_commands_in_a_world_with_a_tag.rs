//! The changes of commands are named with the world.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Identity)]
struct Ships;

#[system]
fn place(_: Commands<Writes<Position, Ships>>) {}

#[system]
fn remove(_: Commands<Writes<Position, Ships>>) {}

schedule! {
    Frame {
        place,
        remove,
        policy insertion order for deferred Position,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy insertion order for deferred Position,
//~ + policy insertion order for deferred Position in World<Ships>,
