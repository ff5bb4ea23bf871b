//! A sync point applies commands, for which it runs alone.

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
        apply_commands Spawned,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - apply_commands Spawned,
//~ + apply_commands Spawned: after draw,
