//! An attribute cannot say which one it means.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison as first,
        poison as second,
        heal: after second,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
