//! The effect of a missing resource must be given.

use schedule::prelude::*;

#[system]
fn film() {}

schedule! {
    Frame {
        film: on missing,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - film: on missing,
//~ + film: on missing skip,
