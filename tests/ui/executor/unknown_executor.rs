//! There are three executors.

use schedule::prelude::*;

#[system]
fn film() {}

schedule! {
    Frame {
        executor sequential,
        film,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - executor sequential,
//~ + executor serial,
