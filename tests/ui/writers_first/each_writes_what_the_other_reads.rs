//! If each of two systems writes a resource that the other one reads, neither can come first.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Position;

#[system]
fn flee(_: &Health, _: &mut Position) {}

#[system]
fn fall(_: &Position, _: &mut Health) {}

schedule! {
    Frame {
        flee,
        fall,
        policy writers first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - fall,
//~ + fall: after flee,
