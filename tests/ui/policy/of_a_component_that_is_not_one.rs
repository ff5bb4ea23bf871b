//! A resource is not a component.

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
        policy insertion order for component Turns,
        policy insertion order for component Position,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy insertion order for component Turns,
//~ + policy insertion order for Turns,
