//! A policy applies to a resource or to a pair, not to a system.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy insertion order for poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy insertion order for poison,
//~ + policy insertion order for (poison, heal),
