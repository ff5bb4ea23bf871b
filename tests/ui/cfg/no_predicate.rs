//! A `#[cfg]` has a predicate.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() -> bool {
    true
}

schedule! {
    Frame {
        poison,
        #[cfg] heal,
    }
}

fn main() {
    Frame::new();
}
