//! The word `in` needs a store.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn integrate(_: Query<&mut Position>) {}

#[system]
fn draw(_: Query<&Position>) {}

schedule! {
    Frame {
        integrate,
        draw,
        policy insertion order for component Position in,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy insertion order for component Position in,
//~ + policy insertion order for component Position in World,
