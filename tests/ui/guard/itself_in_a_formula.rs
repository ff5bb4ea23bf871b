//! A condition cannot guard itself as part of a formula.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn is_near() -> bool {
    true
}

schedule! {
    Frame {
        is_hurt: if not(or(is_near, is_hurt)),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - is_hurt: if not(or(is_near, is_hurt)),
//~ + is_hurt: if not(is_near),
