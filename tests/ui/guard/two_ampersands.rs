//! Two conditions are joined by a word.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: if is_near && is_hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if is_near && is_hurt,
//~ + poison: if and(is_near, is_hurt),
