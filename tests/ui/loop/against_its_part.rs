//! A system of a loop body cannot be ordered against the loop.

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
