//! An entry takes no other attribute.

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
        #[inline]
        heal,
    }
}

fn main() {
    Frame::new();
}
