//! The policy of a component applies to one world.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[derive(Identity)]
struct Ships;

#[system]
fn integrate(_: Query<&mut Position>) {}

#[system]
fn draw(_: Query<&Position>) {}

schedule! {
    Frame {
        integrate,
        draw,
        policy insertion order for component Position in World<Ships>,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy insertion order for component Position in World<Ships>,
//~ + policy insertion order for component Position,
