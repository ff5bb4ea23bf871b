//! The same of a weak order in an attribute.

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
