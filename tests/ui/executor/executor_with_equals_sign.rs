//! There is no `=` before the name of the executor.

use schedule::prelude::*;

#[system]
fn film() {}

schedule! {
    Frame {
        executor = serial,
        film,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - executor = serial,
//~ + executor serial,
