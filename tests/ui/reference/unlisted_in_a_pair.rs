//! The policy of a pair is about two that are listed.

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
        heal,
        policy accepted "both only add up" for (poison, draw),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   heal,
//~ + draw,
