//! Guards are written in words.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: if not(is_near),
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
