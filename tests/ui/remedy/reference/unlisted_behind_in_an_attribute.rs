//! An attribute may say that the other need not be there.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(before_if_present = poison)]
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
