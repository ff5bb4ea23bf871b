//! So they are inside of another.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: if or(is_near, is_hurt),
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
