//! A limit is a number.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while is_near at most many { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_near at most many { poison },
//~ + repeat while is_near at most 4 { poison },
