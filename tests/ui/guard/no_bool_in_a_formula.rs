//! Each condition of a formula must return `bool`.

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

#[system]
fn heal() {}

schedule! {
    Frame {
        poison: if (is_near, not(or(is_near, heal))),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if (is_near, not(or(is_near, heal))),
//~ + poison: if (is_near, not(or(is_near, is_hurt))),
