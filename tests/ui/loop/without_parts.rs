//! The parts of a loop stand in braces, if there are none, too.

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
