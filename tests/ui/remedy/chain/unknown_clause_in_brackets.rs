//! Clauses of a link are those of other entries.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison -> (heal: if not(is_hurt), draw),
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
