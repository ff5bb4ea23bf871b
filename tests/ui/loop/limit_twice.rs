//! A loop has one limit.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while is_near at most 3: at most 4 { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_near at most 3: at most 4 { poison },
//~ + repeat while is_near at most 3 { poison },
