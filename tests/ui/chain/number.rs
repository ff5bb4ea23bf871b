//! The links of a chain are entries.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison -> 3 -> heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison -> 3 -> heal,
//~ + poison -> heal,
