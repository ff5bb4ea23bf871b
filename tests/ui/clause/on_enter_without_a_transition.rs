//! A state changes at its transition, which has to be listed.

use schedule::prelude::*;

use schedule::Identity;

#[derive(Branch, Identity, Clone, Copy)]
enum Phase {
    Day,
    Night,
}

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: on enter Phase::Night,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     schedule::state::transition<Phase>,
