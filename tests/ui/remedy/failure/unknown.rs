//! There are three failure policies.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: on failure carry on,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
