//! A schedule has one failure policy.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        on failure carry on,
        poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
