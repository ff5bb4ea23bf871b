//! A system of an inner loop is in the loop body, too.

use schedule::prelude::*;

#[system]
fn is_day() -> bool {
    true
}

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while is_day {
            repeat while is_due { poison: before is_day },
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due { poison: before is_day },
//~ + repeat while is_due { poison },
