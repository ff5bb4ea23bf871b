//! A policy is not a link of a chain.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison -> policy insertion order -> heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison -> policy insertion order -> heal,
//~ + poison -> heal,
//~ + policy insertion order,
