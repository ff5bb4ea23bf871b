//! A checkpoint orders only the systems that are ordered against it.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        poison: before Fought,
        checkpoint Fought,
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal,
//~ + heal: after poison,
