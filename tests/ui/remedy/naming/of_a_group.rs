//! So is a group.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        group Combat { poison },
        heal: after Combat,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
