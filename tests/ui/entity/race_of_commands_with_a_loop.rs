//! A loop changes the message of a conflict only if filters cause it.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Resource)]
struct Rounds(u32);

#[system]
fn is_due(rounds: &Rounds) -> bool {
    rounds.0 > 0
}

#[system]
fn place(_: Commands<Writes<Position>>) {}

#[system]
fn remove(_: Commands<Writes<Position>>) {}

schedule! {
    Frame {
        place,
        repeat while is_due { remove },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due { remove },
//~ + repeat while is_due { remove: after place },
