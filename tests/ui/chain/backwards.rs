//! A chain is written from what is first to what comes behind it.

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
