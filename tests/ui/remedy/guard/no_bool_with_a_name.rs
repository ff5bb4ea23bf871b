//! So does one that has a name.

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
        is_hurt as other,
        poison: if other,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
