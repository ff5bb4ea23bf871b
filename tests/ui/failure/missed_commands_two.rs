//! A schedule has one setting for missed commands.

use schedule::prelude::*;

#[system]
fn bury() {}

schedule! {
    Frame {
        on missed commands fail,
        on missed commands warn,
        bury,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - on missed commands warn,
