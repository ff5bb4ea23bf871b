//! A resource is no system.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
