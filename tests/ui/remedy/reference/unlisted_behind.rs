//! So is one the other way.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: before_if_present poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
