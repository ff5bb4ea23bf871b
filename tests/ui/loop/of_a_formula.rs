//! A loop has exactly one condition.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn is_far() -> bool {
    false
}

schedule! {
    Frame {
        repeat while not(is_near) { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while not(is_near) { poison },
//~ + repeat while is_far { poison },
