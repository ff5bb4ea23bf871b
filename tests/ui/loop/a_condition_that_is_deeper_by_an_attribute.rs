//! A condition in an attribute must be at the level of the guarded node, or further out.

use schedule::prelude::*;

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn is_hurt() -> bool {
    true
}

#[system(if = is_hurt)]
fn heal() {}

schedule! {
    Frame {
        repeat while is_due { is_hurt },
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due { is_hurt },
//~ + is_hurt,
//~ + repeat while is_due {},
