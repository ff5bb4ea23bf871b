//! A guard needs a condition.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: if (),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if (),
//~ + poison: if (is_near),
