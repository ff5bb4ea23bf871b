//! The same of a condition that an attribute brings.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(after = poison)]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

schedule! {
    Frame {
        heal: if is_hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     poison,
