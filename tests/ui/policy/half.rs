//! A policy is written in full.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy writers,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy writers,
//~ + policy writers first,
