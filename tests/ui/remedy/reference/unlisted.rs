//! An order is about what is listed.

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
