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
