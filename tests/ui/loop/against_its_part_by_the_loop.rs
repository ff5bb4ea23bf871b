//! A loop cannot be ordered against a system of its body.

use schedule::prelude::*;

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while is_due: before poison { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due: before poison { poison },
//~ + repeat while is_due { poison },
