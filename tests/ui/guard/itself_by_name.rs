//! A condition cannot guard itself under another name.

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
        is_hurt as hurt: if hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - is_hurt as hurt: if hurt,
//~ + is_hurt as hurt: if is_near,
