//! A condition with a name must be at the level of the guarded node, or further out.

use schedule::prelude::*;

#[system]
fn is_due() -> bool {
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
        repeat while is_due { is_hurt as hurt },
        heal: if hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due { is_hurt as hurt },
//~ + is_hurt as hurt,
//~ + repeat while is_due {},
