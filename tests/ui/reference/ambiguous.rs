//! Where a system stands several times, an order says which one it means.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        poison,
        heal: after poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison,
//~ - poison,
//~ - heal: after poison,
//~ + poison as first,
//~ + poison as second,
//~ + heal: after (first, second),
