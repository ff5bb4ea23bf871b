//! A function becomes a system by its attribute.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn plain() {}

schedule! {
    Frame {
        poison,
        plain,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
