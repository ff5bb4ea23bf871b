//! A group is no condition.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: if is_near,
        heal: in Combat,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
