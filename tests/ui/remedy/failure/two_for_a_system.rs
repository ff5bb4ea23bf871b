//! So has a system.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: on failure stop,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
