//! A state is a branch with an identity.

use schedule::prelude::*;

#[derive(Branch, Clone, Copy)]
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
//~ - #[derive(Branch, Clone, Copy)]
//~ + #[derive(Branch, schedule::Identity, Clone, Copy)]
//~
//~   Frame {
//~ +     schedule::state::transition<Phase>,
