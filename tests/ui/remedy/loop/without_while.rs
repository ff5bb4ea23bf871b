//! The condition stands behind `while`.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while is_near { poison },
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
