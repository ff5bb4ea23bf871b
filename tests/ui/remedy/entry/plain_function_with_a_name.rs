//! The same under a name, told once.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn plain() {}

schedule! {
    Frame {
        plain as first,
        poison: after first,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
