//! A comma must follow a chain.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison -> heal
        draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison -> heal
//~ + poison -> heal,
