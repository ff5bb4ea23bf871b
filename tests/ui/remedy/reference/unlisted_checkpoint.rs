//! A checkpoint is there if it is listed.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn heal() {}

schedule! {
    Frame {
        checkpoint Fought,
        heal: after Fought,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
