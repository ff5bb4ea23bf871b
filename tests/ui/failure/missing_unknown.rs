//! A missing resource skips its users, or refuses the run.

use schedule::prelude::*;

#[system]
fn film() {}

schedule! {
    Frame {
        on missing stop,
        film,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - on missing stop,
//~ + on missing refuse,
