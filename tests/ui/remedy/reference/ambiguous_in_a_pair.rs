//! A pair is two nodes.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison as first,
        poison as second,
        heal,
        policy accepted "both only add up" for (first, heal),
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
