//! Missed commands are a warning or a failure.

use schedule::prelude::*;

#[system]
fn bury() {}

schedule! {
    Frame {
        on missed commands stop,
        bury,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - on missed commands stop,
//~ + on missed commands fail,
