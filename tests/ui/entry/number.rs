//! A number cannot be an entry.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        3,
        heal: after poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - 3,
