//! The condition of a loop returns `bool`.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        repeat while heal { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while heal { poison },
//~ + repeat while is_hurt { poison },
