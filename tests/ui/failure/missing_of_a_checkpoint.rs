//! A checkpoint never misses a resource.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Filmed;

schedule! {
    Frame {
        checkpoint Filmed: on missing skip,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - checkpoint Filmed: on missing skip,
//~ + checkpoint Filmed,
