//! Each cycle is reported once, even if several lead through the same systems.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison: after (heal, draw),
        heal: after poison,
        draw: after poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: after (heal, draw),
//~ + poison,
