//! A loop cannot be a condition: its own condition is evaluated before each iteration.

use schedule::prelude::*;

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        repeat while is_due as steps { poison },
        heal: if steps,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: if steps,
//~ + heal: if is_due,
