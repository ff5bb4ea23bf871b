//! A flush applies commands, for which it runs alone.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Checkpoint)]
struct Spawned;

#[system]
fn draw(_: &Health) {}

schedule! {
    Frame {
        draw,
        flush Spawned: after draw,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
