//! A name stands behind what it names.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal,
        poison as first: after heal,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
