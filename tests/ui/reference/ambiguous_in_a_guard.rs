//! A guard must name exactly one condition.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

schedule! {
    Frame {
        is_hurt,
        is_hurt,
        heal: if is_hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - is_hurt,
//~ - is_hurt,
//~ - heal: if is_hurt,
//~ + is_hurt as first,
//~ + is_hurt as second,
//~ + heal: if first,
