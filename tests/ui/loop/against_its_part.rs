//! A part of a loop is no order away from the loop.

use schedule::prelude::*;

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while is_due { poison: after is_due },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due { poison: after is_due },
//~ + repeat while is_due { poison },
