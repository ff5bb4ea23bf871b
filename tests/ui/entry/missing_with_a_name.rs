//! A missing system with a name is reported once.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heel as first,
        poison: after first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heel as first,
//~ + heal as first,
