//! A chain is written from left to right.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal <- poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal <- poison,
//~ + poison -> heal,
