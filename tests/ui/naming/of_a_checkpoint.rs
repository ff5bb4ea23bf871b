//! A checkpoint is a type, which is its name.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn poison() {}

schedule! {
    Frame {
        checkpoint Fought as first,
        poison: after first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - checkpoint Fought as first,
//~ - poison: after first,
//~ + checkpoint Fought,
//~ + poison: after Fought,
