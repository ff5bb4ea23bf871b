//! A weak order can only name entries of the schedule.

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
