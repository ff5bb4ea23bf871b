//! An attribute may say that the other need not be there.

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
