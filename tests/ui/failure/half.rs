//! A failure policy is written in full.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: on failure skip,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: on failure skip,
//~ + poison: on failure skip dependents,
