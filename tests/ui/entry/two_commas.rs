//! One comma follows each entry.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,,
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison,,
//~ + poison,
