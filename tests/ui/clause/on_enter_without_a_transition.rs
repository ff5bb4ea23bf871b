//! `on enter` needs the transition of the state in the schedule.

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
