//! To accept a race takes a reason, and says which race.

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
