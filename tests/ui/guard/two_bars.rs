//! `||` cannot be used inside of a formula.

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
        poison: if or(is_near || is_hurt),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if or(is_near || is_hurt),
//~ + poison: if or(is_near, is_hurt),
