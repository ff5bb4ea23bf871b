//! An entry that is off is an entry.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() -> bool {
    true
}

schedule! {
    Frame {
        #[cfg(any())]
        poison: unless heal,
        heal,
    }
}

fn main() {
    Frame::new();
}
