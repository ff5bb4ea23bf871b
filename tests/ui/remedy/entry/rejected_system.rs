//! A system that is refused is told once, whoever lists it.

use schedule::prelude::*;

#[system]
fn draw() {}

#[system]
fn poison() {}

schedule! {
    Frame {
        poison,
        draw: after poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
