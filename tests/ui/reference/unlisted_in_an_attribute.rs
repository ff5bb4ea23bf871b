//! For an order in an attribute, the error is at the entry of the system.

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
