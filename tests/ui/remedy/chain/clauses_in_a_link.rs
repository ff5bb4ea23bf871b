//! Nor does a link.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison, heal: after poison if is_hurt,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
