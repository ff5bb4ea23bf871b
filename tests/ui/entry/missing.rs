//! An entry must exist.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heel,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heel,
//~ + heal,
