//! A condition stands at the level of what it guards, or further out.

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
        is_hurt,
        repeat while is_due {},
        heal: if is_hurt,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
