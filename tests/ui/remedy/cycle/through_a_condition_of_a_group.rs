//! What is in a group comes after the condition of that group.

use schedule::prelude::*;

#[derive(Group)]
struct Care;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

schedule! {
    Frame {
        is_hurt,
        group Care: if is_hurt { heal },
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
