//! A clause must follow a colon.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison:,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison:,
//~ + poison,
