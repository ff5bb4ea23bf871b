//! The body of a loop must be in braces.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while is_near,
        poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_near,
//~ + repeat while is_near {}
