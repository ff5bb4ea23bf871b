//! A member is no order away from its group.

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
