//! A condition that an attribute names must return `bool`.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

#[system(if = heal)]
fn poison() {}

schedule! {
    Frame {
        poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - #[system(if = heal)]
//~ + #[system(if = is_hurt)]
