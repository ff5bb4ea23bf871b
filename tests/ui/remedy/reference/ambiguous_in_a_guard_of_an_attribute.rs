//! So does a guard in an attribute.

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
        heal: if second,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
