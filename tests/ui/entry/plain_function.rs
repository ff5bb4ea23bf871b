//! A function becomes a system by its attribute.

use schedule::prelude::*;

#[system]
fn poison() {}

fn plain() {}

schedule! {
    Frame {
        poison,
        plain,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ + #[system]
//~   fn plain() {}
