//! So is a flush.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn poison() {}

schedule! {
    Frame {
        flush Fought as first,
        poison: after first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - flush Fought as first,
//~ - poison: after first,
//~ + flush Fought,
//~ + poison: after Fought,
