//! A pair is two nodes.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        poison,
        heal,
        policy accepted "both only add up" for (poison, heal),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison,
//~ - poison,
//~ + poison as first,
//~ + poison as second,
//~
//~ - policy accepted "both only add up" for (poison, heal),
//~ + policy accepted "both only add up" for (first, heal),
