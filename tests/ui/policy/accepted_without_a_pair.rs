//! `accepted` cannot apply to all races.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy accepted "both add up",
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy accepted "both add up",
//~ + policy accepted "both add up" for (poison, heal),
