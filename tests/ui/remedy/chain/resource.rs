//! A resource is in no chain.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison -> draw,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
