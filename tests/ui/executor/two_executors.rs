//! A schedule has one executor.

use schedule::prelude::*;

#[system]
fn film() {}

schedule! {
    Frame {
        executor serial,
        film,
        executor auto,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - executor auto,
