//! An entry has one name.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison as first as second,
        heal: after first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison as first as second,
//~ + poison as first,
