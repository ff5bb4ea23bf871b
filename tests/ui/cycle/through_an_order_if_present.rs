//! So is an order against something that is present.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: after_if_present heal,
        heal: after poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: after poison,
//~ + heal,
