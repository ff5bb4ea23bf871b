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
        flush Spawned,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - flush Spawned,
//~ + flush Spawned: after draw,
