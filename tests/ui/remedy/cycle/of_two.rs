//! Two orders must not contradict each other.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: after heal,
        heal,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
