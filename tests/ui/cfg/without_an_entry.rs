//! A `#[cfg]` needs an entry after it.

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
        #[cfg(all())]
    }
}

fn main() {
    Frame::new();
}
