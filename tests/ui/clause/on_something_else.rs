//! What runs on something runs on `failure`, `enter` or `exit`.

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
        poison: on leave Phase::Night,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: on leave Phase::Night,
//~ + poison: on exit Phase::Night,
