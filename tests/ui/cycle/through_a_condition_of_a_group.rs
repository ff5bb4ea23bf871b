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
        is_hurt: after heal,
        group Care: if is_hurt { heal },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - is_hurt: after heal,
//~ + is_hurt,
