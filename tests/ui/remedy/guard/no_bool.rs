//! A condition returns `bool`.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: if is_hurt,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
