//! Clauses of a chain do not contradict it.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison: after draw -> heal -> draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: after draw -> heal -> draw,
//~ + poison -> heal -> draw,
