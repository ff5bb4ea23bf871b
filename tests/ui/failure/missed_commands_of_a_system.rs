//! A single system cannot return to the default.

use schedule::prelude::*;

#[system]
fn bury() {}

schedule! {
    Frame {
        bury: on missed commands warn,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - bury: on missed commands warn,
//~ + bury,
