//! Without an entry, a state change needs a block.

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
        poison,
        on enter Phase::Night,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison,
//~ - on enter Phase::Night,
//~ + poison: on enter Phase::Night,
