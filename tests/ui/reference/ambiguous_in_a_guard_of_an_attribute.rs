//! A guard in an attribute must name exactly one condition.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system(if = is_hurt)]
fn heal() {}

schedule! {
    Frame {
        is_hurt,
        is_hurt,
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - #[system(if = is_hurt)]
//~ + #[system]
//~
//~ - is_hurt,
//~ - is_hurt,
//~ - heal,
//~ + is_hurt as first,
//~ + is_hurt as second,
//~ + heal: if second,
