//! A state is written with its type.

use schedule::prelude::*;

use schedule::Identity;
use schedule::state::transition;

#[derive(Branch, Identity, Clone, Copy)]
enum Phase {
    Day,
    Night,
}

#[system]
fn poison() {}

schedule! {
    Frame {
        transition<Phase>,
        poison: on enter Night,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: on enter Night,
//~ + poison: on enter Phase::Night,
