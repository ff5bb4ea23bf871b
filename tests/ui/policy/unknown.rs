//! There are four policies.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy readers first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy readers first,
//~ + policy writers first,
