//! A group is a type that derives it.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[derive(Checkpoint)]
struct Fought;

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
