//! The same said of the group.

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
