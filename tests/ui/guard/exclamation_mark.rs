//! Guards are written in words.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: if !is_near,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if !is_near,
//~ + poison: if not(is_near),
