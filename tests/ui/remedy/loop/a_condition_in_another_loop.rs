//! The same if both are in loops, but not in the same.

use schedule::prelude::*;

#[system]
fn is_day() -> bool {
    true
}

#[system]
fn is_night() -> bool {
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
        repeat while is_day {},
        repeat while is_night { heal: if is_hurt },
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
