//! A `#[cfg]` has one predicate.

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
        #[cfg(unix, windows)]
        heal,
    }
}

fn main() {
    Frame::new();
}
