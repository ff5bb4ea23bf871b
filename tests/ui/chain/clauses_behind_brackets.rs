//! A clause applies to one entry, so it cannot follow parentheses.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison -> (heal, draw): if is_hurt,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison -> (heal, draw): if is_hurt,
//~ + poison -> (heal: if is_hurt, draw: if is_hurt),
