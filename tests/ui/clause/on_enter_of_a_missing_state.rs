//! A state is a branch of its type.

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
        poison: on exit Phase::Dusk,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: on exit Phase::Dusk,
//~ + poison: on exit Phase::Day,
