//! A part of a loop is no order away from the loop.

use schedule::prelude::*;

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while is_due { poison },
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
