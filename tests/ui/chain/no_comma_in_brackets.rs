//! Commas stand between the entries of a link.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison -> (heal draw),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison -> (heal draw),
//~ + poison -> (heal, draw),
