//! The policy of a component names the component.

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
        policy insertion order for component,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy insertion order for component,
//~ + policy insertion order for component Position,
