//! A system of a loop body cannot be ordered against the loop by its attribute.

use schedule::prelude::*;

#[system]
fn is_due() -> bool {
    true
}

#[system(after = is_due)]
fn poison() {}

schedule! {
    Frame {
        repeat while is_due { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - #[system(after = is_due)]
//~ + #[system]
