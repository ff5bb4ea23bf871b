//! There are four policies.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy writers first,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
