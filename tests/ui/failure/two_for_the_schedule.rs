//! A schedule has one failure policy.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        on failure stop,
        on failure carry on,
        poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - on failure stop,
