//! The same before the colon.

use schedule::prelude::*;

#[system]
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
