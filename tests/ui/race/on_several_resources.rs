//! A pair is reported once, with all shared resources.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Position;

#[derive(Resource)]
struct Score;

#[system]
fn fight(_: &mut Health, _: &mut Position, _: &mut Score) {}

#[system]
fn fall(_: &mut Health, _: &Position, _: &mut Score) {}

schedule! {
    Frame {
        fight,
        fall,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - fall,
//~ + fall: after fight,
