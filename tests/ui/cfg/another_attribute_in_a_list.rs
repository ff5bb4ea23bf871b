//! A name takes no other attribute.

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
        heal: after (#[inline] poison),
    }
}

fn main() {
    Frame::new();
}
