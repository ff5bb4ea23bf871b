//! A resource without entities has no components.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Resource)]
struct Turns;

#[system]
fn integrate(_: Query<&mut Position>) {}

#[system]
fn draw(_: Query<&Position>) {}

schedule! {
    Frame {
        integrate,
        draw,
        policy insertion order for component Position in Turns,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy insertion order for component Position in Turns,
//~ + policy insertion order for component Position,
