//! A name is no system that is listed.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal as poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal as poison,
//~ + heal as second,
