//! The same of a condition that an attribute brings.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(after = poison)]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal: if is_hurt,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
