//! The same if it has a name.

use schedule::prelude::*;

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

schedule! {
    Frame {
        is_hurt as hurt,
        repeat while is_due {},
        heal: if hurt,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
