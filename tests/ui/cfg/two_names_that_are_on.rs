//! Of two names under `#[cfg]` both may be on.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() -> bool {
    true
}

schedule! {
    Frame {
        #[cfg(all())]
        poison as first,
        #[cfg(not(any()))]
        heal as first,
    }
}

fn main() {
    Frame::new();
}
