//! If each of three systems writes a resource that the next one reads, none can come first.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Position;

#[derive(Resource)]
struct Score;

#[system]
fn flee(_: &Health, _: &mut Position) {}

#[system]
fn gain(_: &Position, _: &mut Score) {}

#[system]
fn rest(_: &Score, _: &mut Health) {}

schedule! {
    Frame {
        flee,
        gain,
        rest,
        policy writers first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - rest,
//~ + rest: after flee,
