//! The same of a system in a chain.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(before = poison)]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        draw -> heal -> poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
