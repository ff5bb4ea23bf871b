//! A system has the clause at most once.

use schedule::prelude::*;

#[system]
fn film() {}

schedule! {
    Frame {
        film: on missing skip on missing skip,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - film: on missing skip on missing skip,
//~ + film: on missing skip,
