//! A checkpoint is never skipped, so it cannot have `always`.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Flown;

schedule! {
    Frame {
        checkpoint Flown: always,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - checkpoint Flown: always,
//~ + checkpoint Flown,
