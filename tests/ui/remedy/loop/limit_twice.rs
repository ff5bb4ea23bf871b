//! A loop has one limit.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while is_near at most 3 { poison },
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
