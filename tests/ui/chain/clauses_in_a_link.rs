//! Nor does a link.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison -> (heal: if is_hurt),
    }
}

fn main() {
    Frame::new();
}
