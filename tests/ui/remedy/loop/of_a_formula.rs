//! A loop asks one condition.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn is_far() -> bool {
    false
}

schedule! {
    Frame {
        repeat while is_far { poison },
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
