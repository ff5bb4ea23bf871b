//! A name cannot be that of another listed system.

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
