//! The policy of a component needs the word `component`.

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
        policy insertion order for Position in World,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy insertion order for Position in World,
//~ + policy insertion order for component Position in World,
