//! An entry whose `#[cfg]` is false does not exist for other entries.

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
        poison,
        heal: after poison,
    }
}

fn main() {
    Frame::new();
}
