//! A limit is a number that a `u64` holds.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while is_near at most 99999999999999999999 { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_near at most 99999999999999999999 { poison },
//~ + repeat while is_near at most 9999 { poison },
