//! A predicate is one that the compiler knows.

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
        #[cfg(some(unix))]
        heal,
    }
}

fn main() {
    Frame::new();
}
