//! The same if an attribute says it.

use schedule::prelude::*;

#[derive(Group)]
struct Combat;

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: in Combat,
        repeat while is_due: in Combat { poison },
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
