//! A failure policy cannot follow `->`.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison -> on failure stop -> heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison -> on failure stop -> heal,
//~ + poison: on failure stop -> heal,
