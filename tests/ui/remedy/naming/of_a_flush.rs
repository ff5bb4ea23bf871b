//! So is a flush.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn poison() {}

schedule! {
    Frame {
        flush Fought,
        poison: after Fought,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
