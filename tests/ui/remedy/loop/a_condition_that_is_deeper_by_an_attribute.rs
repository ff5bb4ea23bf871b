//! The same if an attribute asks it.

use schedule::prelude::*;

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn is_hurt() -> bool {
    true
}

#[system(if = is_hurt)]
fn heal() {}

schedule! {
    Frame {
        is_hurt,
        repeat while is_due {},
        heal,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
