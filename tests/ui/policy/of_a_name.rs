//! The same under a name.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison as first,
        heal,
        policy as added for first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy as added for first,
//~ + policy as added for (first, heal),
