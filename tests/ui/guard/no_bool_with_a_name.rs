//! A condition with a name must return `bool`.

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
        heal as other,
        poison: if other,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal as other,
//~ + is_hurt as other,
