//! `accepted` needs a reason.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy accepted for (poison, heal),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy accepted for (poison, heal),
//~ + policy accepted "both add up" for (poison, heal),
