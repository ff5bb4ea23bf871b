//! A weak order in an attribute can only name entries of the schedule.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(after_if_conflicting = poison)]
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
//~ - #[system(after_if_conflicting = poison)]
//~ + #[system]
