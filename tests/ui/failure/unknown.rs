//! There are three failure policies.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: on failure retry,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: on failure retry,
//~ + poison: on failure carry on,
