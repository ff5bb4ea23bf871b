//! So is one the other way.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: before poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: before poison,
//~ + heal: before_if_present poison,
