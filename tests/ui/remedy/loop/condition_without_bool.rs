//! The condition of a loop returns `bool`.

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
        repeat while is_hurt { poison },
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
