//! `after_if_present` a system that is in the schedule can contradict other orders.

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
