//! A group is there if it is listed, or has members.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: after_if_present Combat,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
