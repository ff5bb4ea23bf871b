//! A schedule has one policy.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy reject,
        policy insertion order,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy reject,
