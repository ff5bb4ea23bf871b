//! Clauses of a link are those of other entries.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison -> (heal: unless is_hurt, draw),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison -> (heal: unless is_hurt, draw),
//~ + poison -> (heal: if not(is_hurt), draw),
