//! A block of entries that run on a state change cannot follow `->`.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison -> on enter Phase::Night { heal },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison -> on enter Phase::Night { heal },
//~ + poison -> heal,
