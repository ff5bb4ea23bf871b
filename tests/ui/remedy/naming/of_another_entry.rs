//! A name is no system that is listed.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal as second,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
