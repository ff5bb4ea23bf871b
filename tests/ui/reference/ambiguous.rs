//! If a system is listed several times, an order must name one of them.

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
