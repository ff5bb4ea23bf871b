//! A checkpoint never fails.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Fought;

schedule! {
    Frame {
        checkpoint Fought: on failure stop,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - checkpoint Fought: on failure stop,
//~ + checkpoint Fought,
