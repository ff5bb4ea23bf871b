//! A name is one of one entry.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison as first,
        heal as first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal as first,
//~ + heal as second,
