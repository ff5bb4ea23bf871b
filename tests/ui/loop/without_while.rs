//! The condition of a loop follows `while`.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat is_near { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat is_near { poison },
//~ + repeat while is_near { poison },
