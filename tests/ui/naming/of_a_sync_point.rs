//! A sync point has the name of its type.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn poison() {}

schedule! {
    Frame {
        apply_commands Fought as first,
        poison: after first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - apply_commands Fought as first,
//~ - poison: after first,
//~ + apply_commands Fought,
//~ + poison: after Fought,
