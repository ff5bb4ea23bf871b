//! A number cannot be a predicate.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() -> bool {
    true
}

schedule! {
    Frame {
        #[cfg(3)]
        heal,
    }
}

fn main() {
    Frame::new();
}
