//! A system has nothing in it.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal: after poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
