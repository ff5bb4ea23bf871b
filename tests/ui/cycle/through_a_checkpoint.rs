//! A checkpoint passes orders on.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: after Fought,
        checkpoint Fought: after heal,
        heal: after poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: after poison,
//~ + heal,
