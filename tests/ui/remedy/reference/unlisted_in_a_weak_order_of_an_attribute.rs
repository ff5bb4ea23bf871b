//! The same of a weak order in an attribute.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
