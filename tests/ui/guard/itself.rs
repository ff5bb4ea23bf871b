//! Nothing is guarded by itself.

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
        is_hurt: if is_hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - is_hurt: if is_hurt,
//~ + is_hurt: if is_near,
