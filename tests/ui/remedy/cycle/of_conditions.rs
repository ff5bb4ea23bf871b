//! Conditions may be guarded, too, but not by each other.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn is_hurt() -> bool {
    true
}

schedule! {
    Frame {
        is_near: if is_hurt,
        is_hurt,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
