//! A group does not fail; what is in it does.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn heal() {}

schedule! {
    Frame {
        group Combat { heal: on failure stop },
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
