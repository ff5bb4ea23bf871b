//! A checkpoint must be listed.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: after Fought,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     checkpoint Fought,
