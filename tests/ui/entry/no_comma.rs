//! A comma must separate two entries.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison heal,
//~ + poison, heal,
