//! A condition is named, and called by the schedule.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: if is_near(3),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: if is_near(3),
//~ + poison: if is_near,
