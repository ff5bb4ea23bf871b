//! `not` negates one predicate.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() -> bool {
    true
}

schedule! {
    Frame {
        #[cfg(not(unix, windows))]
        heal,
    }
}

fn main() {
    Frame::new();
}
