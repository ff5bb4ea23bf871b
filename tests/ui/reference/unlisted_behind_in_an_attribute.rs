//! An attribute may use `before_if_present` for a system that is not in the schedule.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(before = poison)]
fn heal() {}

schedule! {
    Frame {
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - #[system(before = poison)]
//~ + #[system(before_if_present = poison)]
