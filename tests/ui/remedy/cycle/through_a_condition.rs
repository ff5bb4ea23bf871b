//! What is guarded comes after its condition.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

schedule! {
    Frame {
        is_hurt,
        heal: if is_hurt,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
