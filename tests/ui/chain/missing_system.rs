//! Each element of a chain must exist.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn draw() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison -> heel -> draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison -> heel -> draw,
//~ + poison -> heal -> draw,
