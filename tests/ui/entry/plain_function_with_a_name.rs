//! A plain function with a name is reported once.

use schedule::prelude::*;

#[system]
fn poison() {}

fn plain() {}

schedule! {
    Frame {
        plain as first,
        poison: after first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ + #[system]
//~   fn plain() {}
