//! Orders may stand in attributes, and are blamed where the system is listed.

use schedule::prelude::*;

#[system(after = heal)]
fn poison() {}

#[system]
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
