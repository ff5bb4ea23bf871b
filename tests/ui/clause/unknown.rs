//! A clause begins with one of a few words.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: unless is_hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: unless is_hurt,
//~ + poison: if not(is_hurt),
