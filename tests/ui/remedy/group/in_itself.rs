//! A group is not in itself.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

schedule! {
    Frame {
        group Combat { poison },
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
