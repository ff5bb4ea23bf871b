//! Each cycle is told once, however many there are through the same systems.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison,
        heal: after poison,
        draw: after poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
