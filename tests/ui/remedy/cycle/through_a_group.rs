//! An order against a group is one against each of its members.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: after heal,
        group Combat { heal },
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
