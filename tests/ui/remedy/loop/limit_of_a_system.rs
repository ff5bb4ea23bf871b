//! `at most` is about loops.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
