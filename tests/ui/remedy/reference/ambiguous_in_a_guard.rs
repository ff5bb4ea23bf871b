//! A guard asks one condition.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

schedule! {
    Frame {
        is_hurt as first,
        is_hurt as second,
        heal: if first,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
