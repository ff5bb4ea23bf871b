//! Nothing comes after itself.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: after poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: after poison,
//~ + poison,
