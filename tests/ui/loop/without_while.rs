//! The condition stands behind `while`.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat is_near { poison },
    }
}

fn main() {
    Frame::new();
}
