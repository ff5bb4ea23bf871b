//! A policy is not a link of a chain.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison -> heal,
        policy as added,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
