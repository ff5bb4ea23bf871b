//! A loop has a condition.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while { poison },
//~ + repeat while is_near { poison },
