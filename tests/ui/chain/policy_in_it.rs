//! A policy is not a link of a chain.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison -> policy as added -> heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison -> policy as added -> heal,
//~ + poison -> heal,
//~ + policy as added,
