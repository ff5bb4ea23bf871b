//! The same said by attributes.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system(in = Combat)]
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
