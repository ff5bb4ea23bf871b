//! The reason says something.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy accepted "both add up" for Health,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
