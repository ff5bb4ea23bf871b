//! If two systems share several resources, the strictest of the policies applies.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Resource)]
struct Position;

#[system]
fn fight(_: &mut Health, _: &mut Position) {}

#[system]
fn fall(_: &mut Health, _: &mut Position) {}

schedule! {
    Frame {
        fight,
        fall,
        policy insertion order,
        policy insertion order for Position,
        policy reject for Health,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - fall,
//~ + fall: after fight,
