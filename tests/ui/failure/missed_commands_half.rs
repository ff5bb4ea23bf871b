//! The effect of missed commands must be given.

use schedule::prelude::*;

#[system]
fn bury() {}

schedule! {
    Frame {
        on missed commands,
        bury,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - on missed commands,
//~ + on missed commands fail,
