//! An entry has one name.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison as first,
        heal: after first,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
