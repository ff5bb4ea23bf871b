//! A weak order is about conflicts; what it names has to be there all the same.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: after_if_conflicting poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: after_if_conflicting poison,
//~ + heal,
