//! So is an order in an attribute, which is blamed on the system that has it.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(after = poison)]
fn heal() {}

schedule! {
    Frame {
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     poison,
