//! A policy cannot apply to a system with a name.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison as first,
        heal,
        policy insertion order for first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy insertion order for first,
//~ + policy insertion order for (first, heal),
