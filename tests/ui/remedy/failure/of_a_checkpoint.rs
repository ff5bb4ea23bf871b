//! A checkpoint never fails.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Fought;

schedule! {
    Frame {
        checkpoint Fought,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
