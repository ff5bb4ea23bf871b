//! So is an order in an attribute, which is blamed on the system that has it.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(after = poison)]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
