//! `before` a system that is not in the schedule is an error.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: before poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: before poison,
//~ + heal: before_if_present poison,
