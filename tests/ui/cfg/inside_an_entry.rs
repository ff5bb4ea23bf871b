//! A `#[cfg]` must be before a whole entry.

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
        heal: #[cfg(all())] after poison,
    }
}

fn main() {
    Frame::new();
}
