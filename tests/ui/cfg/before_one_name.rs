//! A name without brackets is not an element of a list.

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
        heal: after #[cfg(all())] poison,
    }
}

fn main() {
    Frame::new();
}
