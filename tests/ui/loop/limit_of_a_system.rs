//! `at most` applies only to loops.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: at most 3,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: at most 3,
//~ + poison,
