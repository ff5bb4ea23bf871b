//! What is in a chain has to be there.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn draw() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison -> heal -> draw,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
