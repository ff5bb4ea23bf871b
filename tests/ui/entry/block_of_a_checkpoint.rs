//! A checkpoint has nothing in it.

use schedule::prelude::*;

#[derive(Checkpoint)]
struct Fought;

#[system]
fn poison() {}

schedule! {
    Frame {
        checkpoint Fought { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - checkpoint Fought { poison },
//~ + checkpoint Fought: after poison,
//~ + poison,
