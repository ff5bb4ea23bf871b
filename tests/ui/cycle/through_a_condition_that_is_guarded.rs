//! If all systems with a condition are in a guarded group, the condition runs after that of the group.

use schedule::prelude::*;

#[derive(Group)]
struct Care;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

schedule! {
    Frame {
        is_near: after is_hurt,
        is_hurt,
        group Care: if is_near { heal: if is_hurt },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - is_near: after is_hurt,
//~ + is_near,
