//! So has a system.

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: on failure stop on failure stop,
    }
}

fn main() {
    Frame::new();
}
