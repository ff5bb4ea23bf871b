//! What is guarded comes after its condition.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

schedule! {
    Frame {
        is_hurt: after heal,
        heal: if is_hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - is_hurt: after heal,
//~ + is_hurt,
