//! So does one that an attribute names.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

#[system(if = is_hurt)]
fn poison() {}

schedule! {
    Frame {
        poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
