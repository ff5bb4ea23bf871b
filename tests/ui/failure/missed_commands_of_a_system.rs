//! The setting for missed commands is not a clause.

use schedule::prelude::*;

#[system]
fn bury() {}

schedule! {
    Frame {
        bury: on missed commands fail,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     on missed commands fail,
//~
//~ - bury: on missed commands fail,
//~ + bury,
