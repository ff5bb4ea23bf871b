//! If an order names several systems, only the missing one is reported.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison,
        heal: after (poison, draw),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   poison,
//~ + draw,
