//! `accepted` needs a reason and a subject.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy accepted,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy accepted,
//~ + policy accepted "both add up" for (poison, heal),
