//! Of several that are named, the one that is missing is told.

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
