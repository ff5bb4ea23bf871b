//! A name given to what is missing is told once.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal as first,
        poison: after first,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
