//! The two of a pair are systems.

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
        policy as added for (poison, heal),
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
