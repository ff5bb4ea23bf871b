//! The same under a name, told once.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal as first,
        poison: after first,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
