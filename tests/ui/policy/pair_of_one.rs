//! A pair is two systems.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy as added for (poison),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy as added for (poison),
//~ + policy as added for (poison, heal),
