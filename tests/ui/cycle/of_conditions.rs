//! Conditions may be guarded, too, but not by each other.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn is_hurt() -> bool {
    true
}

schedule! {
    Frame {
        is_near: if is_hurt,
        is_hurt: if is_near,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - is_hurt: if is_near,
//~ + is_hurt,
