//! Not as a part of a formula either.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn is_near() -> bool {
    true
}

schedule! {
    Frame {
        is_hurt: if not(is_near),
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
