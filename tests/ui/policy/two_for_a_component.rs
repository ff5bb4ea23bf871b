//! A component has one policy.

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
        policy insertion order for component Position,
        policy reject for component Position in World,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy reject for component Position in World,
