//! A system has at most one failure policy.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: on failure stop on failure stop,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: on failure stop on failure stop,
//~ + poison: on failure stop,
