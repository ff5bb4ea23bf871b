//! A checkpoint is a type, which is its name.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn poison() {}

schedule! {
    Frame {
        checkpoint Fought,
        poison: after Fought,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
